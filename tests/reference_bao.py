"""The reference for Bao, ``sowing="bao"``: captured seeds are sown from an end of the own inner row, on four rows.

A player's pits are a ring: the outer row from the left, then the inner one from the right. All places here are places
on that ring; direction 0 goes up, 1 goes down."""

from typing import NamedTuple

from mancala_env import Ruleset

PRIVILEGED, TAX = 6, 2  # seeds of a stronghold with privileges, and those of it that are sown
STEPS = (1, -1)


class Bao(NamedTuple):
    """What there is besides the pits: seeds in hand, whether each player has kept the stronghold, the threatened pit,
    and what is due: ("go_on", pit, direction), if a turn has come to a halt."""

    hands: tuple[int, ...]
    strongholds: tuple[bool, ...]
    threat: int | None
    due: tuple[str, int, int] | None


class BaoTurn:
    """One turn, or what is left of it after a decision: ``pits`` and ``bao`` as they lie after it. ``due``: what the
    player has to decide. ``endless``: it would take more laps than there may be."""

    def __init__(self, rules: Ruleset, pits: tuple[int, ...], player: int, bao: Bao) -> None:
        self.rules, self.player, self.columns = rules, player, rules.board.columns
        self.rings = [list(pits[: len(pits) // 2]), list(pits[len(pits) // 2 :])]
        self.own, self.other = self.rings[player], self.rings[1 - player]
        self.hands, self.kept = list(bao.hands), list(bao.strongholds)
        self.threat, self.due = bao.threat, None
        self.endless = self.captured = False

    @property
    def pits(self) -> tuple[int, ...]:
        return (*self.rings[0], *self.rings[1])

    @property
    def bao(self) -> Bao:
        return Bao(tuple(self.hands), tuple(self.kept), self.threat, self.due)

    def play(self, place: int, direction: int) -> "BaoTurn":
        """Begin a turn with a place."""
        if self.rules.reserve and self.hands[self.player]:
            taxed = self._has_privileges(place)
            self.hands[self.player] -= 1
            self.own[place] += 1
            if self.across(place):
                self._capture(place, direction, brought=True)
            elif taxed:
                self.own[place] -= TAX
                self._lap(place, direction, TAX, "plain", brought=True)
            else:
                self._lap(place, direction, self._lift(self.player, place), "plain", brought=True)
        else:
            self._lap(place, direction, self._lift(self.player, place), "first", brought=False)
        self._think_of_threats()
        return self

    def go_on(self, direction: int) -> "BaoTurn":
        """Go on from the stronghold."""
        place = self.rules.stronghold
        self._lap(place, direction, self._lift(self.player, place), "capturing", brought=True)
        self._think_of_threats()
        return self

    def across(self, place: int) -> int:
        """Seeds in the pit of the opponent across from a place of the inner row."""
        return self.other[self.facing(place)]

    def facing(self, place: int) -> int:
        """The place of the opponent across: the inner row from the right meets the opponent's from the left."""
        return 3 * self.columns - 1 - place

    def first_captured(self, place: int, direction: int) -> int | None:
        """The place of the opponent that playing this place captures at once."""
        size = 2 * self.columns
        if self.rules.reserve and self.hands[self.player]:
            possible = place >= self.columns and self._entry(place, direction) == direction
            possible = possible and self.own[place]
            return self.facing(place) if possible and self.across(place) else None
        if not 2 <= self.own[place] < size:
            return None
        last = (place + STEPS[direction] * self.own[place]) % size
        possible = last >= self.columns and self.own[last] and self.across(last)
        return self.facing(last) if possible else None

    def _entry(self, place: int, direction: int) -> int:
        """The direction in which seeds captured at a place are sown; it tells the end, too."""
        if place in (self.columns, self.columns + 1):
            return 0
        return 1 if place in (2 * self.columns - 1, 2 * self.columns - 2) else direction

    def _capture(self, place: int, direction: int, brought: bool) -> None:
        direction = self._entry(place, direction)
        start, hand = self._take(place, direction)
        self._lap(start, direction, hand, "capturing", brought)

    def _take(self, place: int, direction: int) -> tuple[int, int]:
        """Take what lies across from a place: the place after which it is sown, and the seeds in the hand."""
        self.captured = True
        hand = self._lift(1 - self.player, self.facing(place))
        return self.columns - 1 if direction == 0 else 2 * self.columns, hand

    def _lift(self, player: int, place: int) -> int:
        seeds, self.rings[player][place] = self.rings[player][place], 0
        if self.rules.stronghold == place:
            self.kept[player] = False
        return seeds

    def _has_privileges(self, place: int, player: int | None = None) -> bool:
        player = self.player if player is None else player
        is_it = self.rules.stronghold == place and self.kept[player]
        return is_it and self.rings[player][place] >= PRIVILEGED

    def _lap(self, place: int, direction: int, hand: int, kind: str, brought: bool) -> None:
        """Sow after ``place``, and all the laps that follow."""
        for lap in range(1, self.rules.max_laps + 1):
            for _ in range(hand):
                place = (place + STEPS[direction]) % (2 * self.columns)
                self.own[place] += 1
            takes = place >= self.columns and self.across(place) > 0 and self.own[place] > 1
            if kind == "first":
                kind = "capturing" if takes else "plain"
                self.captured = takes
            takes = takes and kind == "capturing"
            if self.own[place] == 1 and not takes:
                return
            if lap == self.rules.max_laps:
                self.endless = True
                return
            pit = self.player * 2 * self.columns + place
            if takes:
                direction = self._entry(place, direction)
                place, hand = self._take(place, direction)
            elif self._halts(place, brought):
                if kind == "capturing":
                    self.due = ("go_on", pit, direction)
                return
            else:
                hand = self._lift(self.player, place)

    def _halts(self, place: int, brought: bool) -> bool:
        """Does the turn come to a halt here?"""
        return brought and self._has_privileges(place)

    def _think_of_threats(self) -> None:
        """What is threatened after the turn."""
        if not self.rules.reserve:
            return
        size = 2 * self.columns
        if self.threat is not None and self.threat // size != self.player:
            self.threat = None
        if self.captured or self.due is not None or any(self.hands):
            return
        if captures(self.rules, self.pits, 1 - self.player, self.bao):
            return
        aims = set(captures(self.rules, self.pits, self.player, self.bao).values())
        if len(aims) != 1:
            return
        (aim,) = aims
        others = [seeds for k, seeds in enumerate(self.other) if k >= self.columns and k != aim]
        if not self._has_privileges(aim, 1 - self.player) and max(others) > 1:
            self.threat = (1 - self.player) * size + aim


def captures(rules: Ruleset, pits: tuple[int, ...], player: int, bao: Bao) -> dict[tuple[int, int], int]:
    """What each play (place, direction) of ``player`` captures at once."""
    turn = BaoTurn(rules, pits, player, bao)
    plays = [(place, direction) for direction in (0, 1) for place in range(2 * rules.board.columns)]
    found = {play: turn.first_captured(*play) for play in plays}
    return {play: place for play, place in found.items() if place is not None}


def ends(rules: Ruleset, pits: tuple[int, ...], player: int, bao: Bao, place: int, direction: int) -> bool:
    """Does the turn end, or come to a halt?"""
    return not BaoTurn(rules, pits, player, bao).play(place, direction).endless


def legal_plays(rules: Ruleset, pits: tuple[int, ...], player: int, bao: Bao) -> list[tuple[int, int]]:
    """The plays (place, direction) of ``player`` who has nothing to decide."""
    size, columns = 2 * rules.board.columns, rules.board.columns
    blocked = bao.threat % size if bao.threat is not None and bao.threat // size == player else None
    wanted = bao.threat % size if bao.threat is not None and bao.threat // size != player else None
    brings = rules.reserve > 0 and bao.hands[player] > 0
    own = pits[player * size : (player + 1) * size]
    taking = {
        play: place
        for play, place in captures(rules, pits, player, bao).items()
        if play[0] != blocked and ends(rules, pits, player, bao, *play)
    }
    if wanted in taking.values():
        taking = {play: place for play, place in taking.items() if place == wanted}
    if taking:
        return sorted(taking, key=lambda play: play[::-1])
    inner = range(columns, size)
    turn = BaoTurn(rules, pits, player, bao)
    if brings:
        fewest = 1 if rules.stronghold is not None and bao.strongholds[player] else 2
        if all(own[place] < fewest for place in inner):
            fewest = 1
        places = [place for place in inner if own[place] >= fewest]
        free = [place for place in inner if own[place] > 0 and not turn._has_privileges(place)]
        if free:
            places = [place for place in places if not turn._has_privileges(place)]
    else:
        places = [place for place in inner if own[place] >= 2]
        places = places or [place for place in range(columns) if own[place] >= 2]
        places = [place for place in places if place != blocked]
    alone = sum(own[place] > 0 for place in inner) == 1
    round_the_corner = {(size - 1, 0), (columns, 1)}
    return [
        (place, direction)
        for direction in (0, 1)
        for place in places
        if not (alone and (place, direction) in round_the_corner) and ends(rules, pits, player, bao, place, direction)
    ]
