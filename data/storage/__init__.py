"""Tables on disk: checked reads and writes, manifests, packs, and the processes that fill them."""
