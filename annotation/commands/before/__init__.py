"""The commands before annotators label: plans, documents, forecasts and the server."""
