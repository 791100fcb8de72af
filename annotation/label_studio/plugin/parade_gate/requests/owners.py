"""Who owns a project, task, annotation, draft or tab, according to the server's own tables."""

from collections.abc import Mapping

from data_manager.models import View
from projects.models import ProjectMember
from tasks.models import Annotation, AnnotationDraft, Task

from parade_gate import agreements


def open_projects(user) -> list[int]:
    """The projects that are open to the user, newest first: the user is a member and has accepted the documents."""
    rows = ProjectMember.objects.filter(user=user, enabled=True, project__isnull=False)
    return sorted(agreements.ready(user, set(rows.values_list("project_id", flat=True))), reverse=True)


def owns(user, ids: Mapping[str, int]) -> bool:
    """Whether all that the ids name exists, belongs to one project that is open to the user, and is the user's own.

    The ids have to agree with one another: an annotation with the task, a draft with both.
    """
    projects = set()
    task = annotation = None
    if "project" in ids:
        projects.add(ids["project"])
    if "task" in ids:
        task = Task.objects.filter(id=ids["task"]).values("id", "project_id").first()
        projects.add(task and task["project_id"])
    if "annotation" in ids:
        own = Annotation.objects.filter(id=ids["annotation"], completed_by=user)
        annotation = own.values("id", "task_id", "task__project_id").first()
        projects.add(annotation and annotation["task__project_id"])
        if task and annotation and annotation["task_id"] != task["id"]:
            return False
    if "draft" in ids:
        draft = AnnotationDraft.objects.filter(id=ids["draft"], user=user).values("task_id", "task__project_id").first()
        projects.add(draft and draft["task__project_id"])
        if task and draft and draft["task_id"] != task["id"]:
            return False
    if "view" in ids:
        projects.add(View.objects.filter(id=ids["view"]).values_list("project_id", flat=True).first())
    return len(projects) <= 1 and projects <= set(open_projects(user))


def asked_of(ids: Mapping[str, int]) -> tuple[str, dict]:
    """The labelling configuration and the fields of the task that the ids name, by itself or by what belongs to it."""
    named = {"task": "id", "annotation": "annotations", "draft": "drafts"}
    name = next(name for name in named if name in ids)
    task = Task.objects.select_related("project").only("data", "project__label_config")
    found = task.get(**{named[name]: ids[name]})
    return found.project.label_config, found.data
