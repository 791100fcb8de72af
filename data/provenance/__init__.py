"""Where rows come from, and what happens when they are taken down."""
