"""Compares the things that people like and dislike: the same thing, or a kind of it."""

from __future__ import annotations

from everword.facts.attribute_names import singular_words

_ARTICLES = frozenset({"a", "an", "the", "my", "all", "any"})
_KINDS = {
    "fruit": "apple pear banana orange grape strawberry raspberry blueberry berry cherry plum peach apricot mango melon"
    " watermelon pineapple kiwi lemon lime fig date citrus grapefruit mandarin clementine",
    "vegetable": "carrot broccoli cauliflower spinach kale cabbage pea bean courgette zucchini aubergine eggplant"
    " pepper tomato cucumber onion leek asparagus beetroot pumpkin lettuce salad potato mushroom celery",
    "meat": "beef pork chicken turkey lamb veal duck steak bacon ham sausage burger salami"
    " venison schnitzel mince",
    "fish": "salmon tuna cod trout herring mackerel sardine anchovy sushi haddock",
    "seafood": "fish salmon tuna cod shrimp prawn crab lobster oyster mussel squid octopus sushi",
    "dairy": "milk cheese yoghurt yogurt butter cream cheddar mozzarella feta brie",
    "nut": "peanut almond walnut hazelnut cashew pistachio",
    "alcohol": "beer wine whisky whiskey gin vodka rum cocktail champagne cider prosecco",
    "sweet": "chocolate cake candy cookie biscuit pie icecream doughnut brownie pudding",
    "coffee": "espresso latte cappuccino americano macchiato",
    "sport": "football soccer tennis basketball volleyball swimming running cycling hockey rugby cricket golf skiing",
}
_MEMBERS = {kind: frozenset(members.split()) for kind, members in _KINDS.items()}


def is_same_thing(first: str, second: str) -> bool:
    """Return whether two values name one thing, without regard to case, articles and plural."""
    return _plain(first) == _plain(second)


def is_kind_of(narrow: str, broad: str) -> bool:
    """Return whether a thing is a kind of another one: apples of fruit, green tea of tea."""
    first, second = _plain(narrow), _plain(broad)
    if not first or not second or first == second:
        return False
    head = first[-1]
    return first[-len(second) :] == second or (len(second) == 1 and head in _members(second[0]))


def _members(kind: str) -> frozenset[str]:
    return _MEMBERS.get(kind, frozenset())


def _plain(value: str) -> list[str]:
    return [word for word in singular_words(value) if word not in _ARTICLES]
