"""Who labels which pair: the first round, reassignment, pilots, seniors, the control arm."""
