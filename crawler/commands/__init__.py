"""Scrapy commands of this project."""
