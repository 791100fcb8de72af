"""The labelling page, the Label Studio server that shows it, and a client for that server."""
