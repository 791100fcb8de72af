"""Sites: one module a site, each with bytes in and an `Outcome` out; none opens a connection."""
