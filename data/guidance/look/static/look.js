// Loads a page that is open again once the copy of the store is a newer one, and keeps place and focus.
const PERIOD = 5000;

async function refresh() {
  if (document.hidden) return;
  try {
    const { copied } = await (await fetch("/version")).json();
    if (copied === document.body.dataset.copied) return;
    const text = await (await fetch(location.href)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    const focused = document.activeElement.getAttribute("href");
    for (const part of ["header", "main", "footer"]) {
      document.querySelector(part).replaceChildren(...page.querySelector(part).childNodes);
    }
    document.body.dataset.copied = copied;
    const links = [...document.querySelectorAll("a[href]")];
    if (focused) links.find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
  } catch {
    // the server has ended or is busy: the page stays as it is
  }
}

if (document.body.dataset.live) setInterval(refresh, PERIOD);
