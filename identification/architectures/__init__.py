"""The networks, one file each, over batches of padded pairs."""
