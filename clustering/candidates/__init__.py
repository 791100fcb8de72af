"""Definitions to candidate pairs: vectors, clusters, every two of a cluster, and which of them to keep."""
