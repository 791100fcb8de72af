"""A campaign: its plan, people, documents, collected ratings and what is measured of them."""
