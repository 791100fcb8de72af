"""A Label Studio server on this machine: its environment, its folder and its process."""
