"""What a crawl has asked for and what was answered, kept through any crash."""
