"""What mkdocs needs to know of docs/: what lies outside of it, and the page of the HTTP API."""

import posixpath
import re

from mkdocs.structure.files import File


def on_files(files, config):
    text = '# The HTTP API, operation by operation\n\n<swagger-ui src="../openapi.yaml"/>\n'
    files.append(File.generated(config, "use/reference.md", content=text))
    return files


def on_page_markdown(markdown, page, config, **_):
    """Links to files outside of docs/ lead to the repository."""

    def outside(match):
        at = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), match[1]))
        if at.startswith("docs/") or ":" in match[1]:
            return match[0]
        return f"]({config.repo_url}/blob/main/{at}{match[2] or ''})"

    return re.sub(r"\]\(([^)#\s]+)(#[^)\s]*)?\)", outside, markdown)
