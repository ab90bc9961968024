"""Calls every method of Miniflux's Python client; what they answer is compared with what the page shows.

Arguments: the server's address, the app password, the publisher's address. Standard input has the items of the page as JSON.
"""

import json
import sys
import time

import miniflux

base, password, site = sys.argv[1:]
page = {x["Title"]: x for x in json.load(sys.stdin)}
client = miniflux.Client(base, api_key=password)
called = set()


class Watched:
    """Notes which methods were called."""

    def __getattr__(self, name):
        called.add(name)
        return getattr(client, name)


c = Watched()


def same(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got!r}, not {want!r}")


def refused(kind, method, *args, **kwargs):
    try:
        method(*args, **kwargs)
    except kind:
        return
    sys.exit(f"{method.__name__} is not refused with {kind.__name__}")


def titles(answer):
    same("total", answer["total"], len(answer["entries"]))
    return sorted(e["title"] for e in answer["entries"])


# The account, and what the server says of itself.
same("user", c.me()["username"], miniflux.Client(base, "owner@localhost", password).me()["username"])
assert c.get_version()["version"]
same("integrations", c.get_integrations_status(), False)

# Categories and feeds.
categories = {x["title"]: x["id"] for x in c.get_categories()}
news = categories["News"]
feeds = {f["title"]: f for f in c.get_feeds()}
same("feeds", sorted(feeds), ["Growing alpha", "Plain Notes", "Spoken Words", "雨の日の覚え書き"])
same("feeds of a category", sorted(f["title"] for f in c.get_category_feeds(news)), ["Growing alpha", "Plain Notes"])
plain, alpha = feeds["Plain Notes"]["id"], feeds["Growing alpha"]["id"]
same("a feed", c.get_feed(plain)["feed_url"], site + "/feeds/plain.xml")
counters = c.get_feed_counters()
same("counters", (counters["unreads"][str(plain)], counters["reads"].get(str(plain), 0)), (5, 0))
for method, argument in ((c.get_feed_icon, plain), (c.get_icon_by_feed_id, plain), (c.get_icon, 1)):
    refused(miniflux.ResourceNotFound, method, argument)  # the publisher has none

# Entries.
entries = c.get_entries(limit=100)
same("entries", titles(entries), sorted(page))
for e in entries["entries"]:
    same("id of " + e["title"], str(e["id"]), page[e["title"]]["ID"])
first = next(e for e in entries["entries"] if e["title"] == "A walk at noon")
same("entries of a feed", titles(c.get_feed_entries(plain)),
     ["A walk at noon", "Letters not sent", "On small things", "Two kinds of quiet", "What the kettle said"])
same("entries of a category", len(titles(c.get_category_entries(news))), 8)
for got in (c.get_entry(first["id"]), c.get_feed_entry(plain, first["id"]), c.get_category_entry(news, first["id"])):
    same("an entry", (got["title"], got["status"], got["content"]), (first["title"], "unread", first["content"]))
assert "plain words" in first["content"], first["content"]
same("paging", [e["id"] for e in c.get_entries(limit=3, offset=2)["entries"]],
     [e["id"] for e in entries["entries"]][2:5])
refused(miniflux.BadRequest, c.fetch_entry_content, first["id"])  # it links to no page

# Marks.
same("update_entries", c.update_entries([first["id"]], "read"), True)
same("read", titles(c.get_entries(status="read")), ["A walk at noon"])
same("unread", len(titles(c.get_entries(status="unread"))), 13)
same("toggle_bookmark", c.toggle_bookmark(first["id"]), True)
same("starred", titles(c.get_entries(starred="true")), ["A walk at noon"])
c.toggle_bookmark(first["id"])
same("starred no more", titles(c.get_entries(starred="true")), [])
c.toggle_bookmark(first["id"])
c.mark_feed_entries_as_read(alpha)
same("a feed marked", len(titles(c.get_entries(status="read"))), 4)
c.mark_category_entries_as_read(news)
same("a category marked", len(titles(c.get_entries(status="read"))), 8)
same("flush_history", c.flush_history(), True)

# Enclosures.
episode = next(e for e in entries["entries"] if e["title"].startswith("Episode 1"))
sound = episode["enclosures"][0]
same("an enclosure", c.get_enclosure(sound["id"])["url"], "https://sounds.example/1.mp3")
same("its position", c.update_enclosure(sound["id"], media_progression=5), True)

# Subscribing, and back.
made = c.create_category("New")
same("a category", c.update_category(made["id"], "Newer")["title"], "Newer")
same("discover", c.discover(site + "/pages/site.html")[0]["url"], site + "/feeds/nihongo.atom")
long = c.create_feed(site + "/feeds/teasers.xml", category_id=made["id"])
same("a feed of one's own name", c.update_feed(long, title="Mine")["title"], "Mine")
same("its category", c.get_feed(long)["category"]["title"], "Newer")
story = next(e for e in c.get_feed_entries(long)["entries"] if e["title"] == "The slow train to the coast")
assert "follows the river down" in c.fetch_entry_content(story["id"])["content"]
same("refresh_feed", c.refresh_feed(long), True)
same("refresh_category", c.refresh_category(made["id"]), True)
same("refresh_all_feeds", c.refresh_all_feeds(), True)
exported = c.export()
same("export", (exported, site + "/feeds/teasers.xml" in exported), (c.export_feeds(), True))
assert c.import_feeds(exported)["message"]
same("after the import of what was exported", len(c.get_feeds()), 5)
c.delete_feed(long)
c.delete_category(made["id"])
refused(miniflux.ResourceNotFound, c.get_feed, long)

# What an app password cannot do, and what Miniflux answers without a third party.
refused(miniflux.BadRequest, c.save_entry, first["id"])
refused(miniflux.AccessForbidden, c.get_users)
refused(miniflux.AccessForbidden, c.get_user_by_id, 1)
refused(miniflux.AccessForbidden, c.get_user_by_username, "owner@localhost")
refused(miniflux.AccessForbidden, c.create_user, "a", "b")
refused(miniflux.AccessForbidden, c.update_user, 1, theme="dark")
refused(miniflux.AccessForbidden, c.delete_user, 1)
same("API keys", c.get_api_keys(), [])
refused(miniflux.AccessForbidden, c.create_api_key, "key")
refused(miniflux.AccessForbidden, c.delete_api_key, 1)
refused(miniflux.AccessForbidden, c.update_entry, first["id"], title="Another")
refused(miniflux.AccessForbidden, c.import_entry, plain, "https://example.org/")
refused(miniflux.AccessUnauthorized, miniflux.Client(base, api_key="wrong").me)
c.mark_user_entries_as_read(c.me()["id"])
same("all marked", titles(c.get_entries(status="unread")), [])

# Lists by number have an entry when none with a smaller number can be added before it.
deadline = time.monotonic() + 300
while len(c.get_entries(order="id")["entries"]) < len(page) and time.monotonic() < deadline:
    time.sleep(5)
same("entries by number", [str(e["id"]) for e in c.get_entries(order="id", direction="asc")["entries"]],
     sorted((e["ID"] for e in page.values()), key=int))
c.close()

methods = {m for m in dir(miniflux.Client) if not m.startswith("_") and callable(getattr(miniflux.Client, m))}
same("methods that were not called", sorted(methods - called), [])
print(len(methods))
