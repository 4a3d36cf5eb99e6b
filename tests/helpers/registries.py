"""Registries that hold what a test gives them."""

from audit.model.registry import Registry


class Holding(Registry):
    """A registry of some things alone, by their own names."""

    def __init__(self, *things):
        super().__init__("tests", "thing", {})
        self.things = {thing.name: thing for thing in things}

    @property
    def names(self):
        return tuple(self.things)

    def load(self, name):
        return self.things[name]
