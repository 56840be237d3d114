"""Names in code type that the reference describes become links to it, as ``State.play`` in a docstring or a text."""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

_NAME = re.compile(r"~?([A-Za-z_][\w.]*)(\(\))?")


class CodeLinks(SphinxPostTransform):
    """Turns literals into references where there is exactly one thing of that name."""

    default_priority = 20

    def run(self, **kwargs: Any) -> None:
        """Look every literal up."""
        python = self.env.domains.python_domain
        for literal in list(self.document.findall(nodes.literal)):
            name = _NAME.fullmatch(literal.astext())
            if not name or isinstance(literal.parent, nodes.reference | nodes.title):
                continue
            module, inside = _place(literal, self.env.docname)
            anywhere = "." in name[1] or name[1][0].isupper()  # else only what the place itself knows by this name
            found = python.find_obj(self.env, module, inside, name[1], None, int(anywhere))
            if len(found) == 1:
                full, entry = found[0]
                link = make_refnode(
                    self.app.builder, self.env.docname, entry.docname, entry.node_id, [literal.deepcopy()], full
                )
                literal.replace_self(link)


def _place(node: nodes.Node, page: str) -> tuple[str, str]:
    """The module and the class whose description a node of a page stands in."""
    while node is not None:
        if isinstance(node, addnodes.desc):
            return node[0].get("module") or "", node[0].get("class") or node[0].get("fullname") or ""
        node = node.parent
    return (page.rpartition("/")[2] if page.startswith("docs/api/") else ""), ""


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_post_transform(CodeLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
