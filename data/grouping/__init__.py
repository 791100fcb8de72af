"""Which pairs belong together, and how groups are dealt to splits."""
