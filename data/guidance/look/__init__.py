"""The store in the browser: a copy of its tables, the figures of its campaigns, and the pages over both."""
