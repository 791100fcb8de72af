"""Networks over word vectors, one file each, over batches of padded pairs."""
