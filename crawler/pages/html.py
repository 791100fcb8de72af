"""Web pages: UTF-8, and HTML whatever their first bytes look like."""

from urllib.parse import SplitResult, urljoin, urlsplit

from parsel import Selector


def decode(content: bytes) -> str:
    """A page's text; broken bytes become U+FFFD."""
    return content.decode("utf-8", "replace")


def parse(text: str) -> Selector:
    """A page's tree. The type is given, since parsel would take a page that begins like JSON for JSON."""
    return Selector(text=text, type="html")


def local_links(page: Selector, url: str) -> list[str]:
    """The absolute addresses that a page links to on its own host, in order; `url` is the page's own."""
    addresses = [_join(url, href) for href in page.xpath("//a/@href").getall()]
    return [address for address in addresses if urlsplit(address).netloc == urlsplit(url).netloc]


def split_address(address: str) -> SplitResult:
    """The parts of an address; all of them empty where it is not one, as `http://[` is not."""
    try:
        return urlsplit(address)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _join(url: str, href: str) -> str:
    """The absolute address of a link; empty where the link is not an address."""
    try:
        return urljoin(url, href)
    except ValueError:
        return ""
