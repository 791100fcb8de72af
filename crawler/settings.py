"""Scrapy's settings, polite by default; `crawler.spiders.politeness.pace` adds those that depend on the site."""

BOT_NAME = "parade-builder"
SPIDER_MODULES = ["crawler.spiders"]
NEWSPIDER_MODULE = "crawler.spiders"
COMMANDS_MODULE = "crawler.commands"

# Who we are, and what we may request
USER_AGENT = "parade-builder (research crawler)"
ROBOTSTXT_USER_AGENT = "parade-builder"
ROBOTSTXT_OBEY = True
COOKIES_ENABLED = False
REFERRER_POLICY = "no-referrer"
HTTPPROXY_ENABLED = False
HTTPCACHE_ENABLED = False  # a stored challenge page would be replayed forever
METAREFRESH_ENABLED = False
REDIRECT_MAX_TIMES = 5
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "crawler.middlewares.StrictRobots": 100,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "crawler.middlewares.PatientRetry": 550,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "crawler.middlewares.SameSiteRedirects": 600,
    "crawler.middlewares.SameOrigin": 1000,  # after all others
}

# How fast
CONCURRENT_REQUESTS = 1  # what waits in the downloader is still asked after a site was left alone
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1
CONCURRENT_ITEMS = 1  # Scrapy starts this many tasks per page, and our spiders yield no items
WARN_ON_GENERATOR_RETURN_VALUE = False  # Scrapy would parse the callback's source again for every page
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1
RETRY_AFTER_DEFAULT = 10
"""Seconds to wait after a 429 or 503 without a Retry-After."""
RETRY_AFTER_MAX = 300
"""Longest wait in seconds that a Retry-After may cause."""
REFUSALS_MAX = 10
"""Refusals in a row that end a crawl."""

# How much
DOWNLOAD_MAXSIZE = 8 * 2**20
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_TIMEOUT = 60
SEARCH_PAGES_MAX = 20
"""Pages of results followed for one term."""

# How safely
DOWNLOAD_VERIFY_CERTIFICATES = True
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

HTTPERROR_ALLOW_ALL = True  # a refusal is a response to be recorded
LOG_LEVEL = "WARNING"
