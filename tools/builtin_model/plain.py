"""A grammar of plain sentences about everyday things, who does what with them and where, and small facts.

WordNet defines words but hardly uses them; these sentences use them. A rule is a pattern and the lists that fill it. A
sentence that matches one of everyday.tsv is left out, because the model is measured on those.
"""

import re
from pathlib import Path

from .lexicon import with_article

LISTS = {
    "person": "man woman boy girl child teacher doctor farmer king queen soldier student friend nurse writer lady "
              "gentleman father mother brother sister son daughter uncle aunt baby cook judge priest sailor driver",
    "name": "john mary anna tom peter paul jane alice henry david sarah emma george james elizabeth robert",
    "he": "he she he she everybody somebody nobody",
    "pet": "dog cat horse bird cow pig sheep mouse rabbit fox goat duck hen wolf lion bear",
    "drink": "water tea coffee milk wine beer juice",
    "vessel": "cup glass bottle",
    "food": "bread cheese meat rice soup fish cake butter sugar salt fruit chicken corn",
    "countable_food": "apple egg orange banana potato onion sandwich carrot cookie pear",
    "meal": "breakfast lunch dinner supper",
    "readable": "book letter newspaper story magazine novel poem paper",
    "music": "piano violin guitar flute drum trumpet harp organ",
    "game": "football chess tennis baseball cards golf hockey",
    "ride": "horse bicycle bus train camel",
    "drive": "car truck bus taxi",
    "openable": "door window box bottle gate letter book bag",
    "thing": "table chair bed lamp cup plate knife key ball hat coat shoe clock mirror picture box",
    "garment": "hat coat dress shirt shoe jacket ring skirt",
    "room": "kitchen bedroom bathroom garden hall house office school church hospital shop",
    "place": "school church town city park beach market river hospital farm station hotel library museum village",
    "outside": "street garden forest field park mountain river road beach hill wood",
    "color": "red blue green white black yellow brown gray",
    "feeling": "happy sad angry tired hungry thirsty sick afraid glad sorry cold alone",
    "quality": "good bad big small old new long short beautiful heavy light strong clean dirty nice expensive cheap",
    "weather": "cold hot warm dark bright wet dry windy cloudy sunny",
    "day": "monday tuesday wednesday thursday friday saturday sunday",
    "month": "january february march april may june july august september october november december",
    "season": "spring summer autumn winter",
    "time": "morning evening afternoon night day week year",
    "number": "two three four five six seven eight nine ten twelve twenty hundred",
    "jumped": "fence wall river table chair gate bed stone",
    "subject": "history science art music mathematics english law medicine chemistry physics geography",
    "goods": "wheat oil gold gas corn sugar silver bread land cotton coffee milk",
    "science_thing": "computer telephone television radio internet machine engine camera program website email phone",
    "country": "france england germany italy spain china japan india russia canada egypt greece america brazil",
    "ability": "run walk talk sing dance swim read write work sleep eat play",
}
# Facts. The two parts of each pair are words of one sentence.
PAIRS = {
    "works": "teacher/school doctor/hospital nurse/hospital farmer/farm priest/church cook/kitchen judge/court "
             "sailor/ship soldier/army actor/theater waiter/restaurant banker/bank clerk/shop professor/university "
             "secretary/office player/team scientist/laboratory",
    "sound": "dog/barks dog/barked cow/moos bird/sings bird/sang bell/rings bell/rang lion/roars lion/roared "
             "baby/cries baby/cried horse/ran wolf/howled cock/crowed bee/buzzes",
    "moves": "bird/fly fish/swim horse/run plane/fly ship/sail snake/crawl frog/jump child/play duck/swim bee/fly "
             "dog/run",
    "home": "fish/water bird/tree bear/forest horse/stable king/palace camel/desert bee/hive whale/ocean cow/farm "
            "fox/hole lion/jungle monkey/forest duck/lake people/house family/house",
    "colored": "grass/green snow/white blood/red coal/black sea/blue leaf/green banana/yellow milk/white "
               "cloud/white night/dark",
    "kind": "cat/animal dog/animal horse/animal cow/animal rose/flower oak/tree apple/fruit salmon/fish "
            "eagle/bird car/vehicle hammer/tool chair/furniture piano/instrument gold/metal tea/drink red/color "
            "chess/game monday/day january/month bread/food shirt/garment ant/insect diamond/jewel iron/metal "
            "violin/instrument guitar/instrument bee/insect tulip/flower pine/tree robin/bird wine/drink "
            "football/game poem/text brother/relative doctor/person wheat/plant",
    "part": "wheel/car leaf/tree finger/hand page/book roof/house window/house door/house wing/bird tail/dog "
            "key/piano string/violin root/plant engine/car toe/foot nose/face eye/face sail/ship month/year "
            "day/week hour/day minute/hour second/minute word/sentence letter/word branch/tree room/house",
    "opposite": "hot/cold good/bad big/small old/young old/new black/white day/night up/down left/right "
                "love/hate war/peace rich/poor happy/sad high/low light/dark fast/slow strong/weak open/closed "
                "first/last early/late long/short hard/soft dry/wet clean/dirty full/empty true/false life/death "
                "friend/enemy man/woman boy/girl buy/sell begin/end win/lose remember/forget question/answer",
    "family": "father/mother brother/sister son/daughter uncle/aunt king/queen husband/wife prince/princess "
              "boy/girl man/woman",
    "sum": "one/two two/four three/six four/eight five/ten six/twelve",
    "use": "write/pen cut/knife eat/fork sleep/bed sit/chair see/eye hear/ear walk/foot think/mind read/book "
           "drink/cup cook/kitchen open/key work/hand smell/nose swim/sea pay/money",
}
PATTERNS = """
{he} drank {a vessel} of {drink}.|{he} drinks {drink} with {meal}.|i would like {a vessel} of {drink}, please.
the {person} ate {food} for {meal}.|we had {food} and {food2} for {meal}.|the {person} is eating {a countable_food}.
{he} reads {a readable}.|the {person} is reading {a readable} in the {room}.|{name} wrote {a readable} to {name2}.
the {person} plays the {music}.|{name} plays {game} with {name2}.|{a person} is playing the {music}.
the {person} is riding {a ride}.|he drives {a drive} to work.|they went to {country} by {drive}.
{he} opened the {openable}.|{he} closed the {openable}.|{name} opened the {openable} and looked at the {thing}.
the {pet} jumped over the {jumped}.|the {pet} saw {a pet2}.|the {pet} ran after the {pet2}.|the {pet} is sleeping.
the {color} {thing} is on the table.|{name} bought {a quality} {garment}.|the {garment} is {color}.|the sky is {color}.
the {person} is {feeling}.|i am very {feeling} today.|are you {feeling}?|{name} was {feeling}, and {name2} was too.
it is {weather} in {season}.|it was very {weather} in {month}.|the weather is {weather} today.|it is {weather} here.
we will meet on {day}.|today is {day}.|her birthday is in {month}.|school begins in {month}.|he came on {day} {time}.
there are {number} {person}s in the {room}.|the {person} has {number} {pet2}s.|{number} {pet}s are in the {outside}.
the {person} went to the {place}.|the {place} is near the {outside}.|{name} lives in {a quality} house in {country}.
good {time}, {name}.|hello, {name}, how are you?|my name is {name}.|thank you very much, {name}.|hello, my friend.
the price of {goods} rose.|the price of {goods} went up this {time}.|they sell {goods} in the market.
he studies {subject} at the university.|{name} teaches {subject}.|{name} likes {subject} and {game}.
the {science_thing} is new.|i use the {science_thing} every day.|he repairs {a science_thing}.
{name} can {ability}.|the {person} does not want to {ability}.|let us {ability}.|do you like to {ability}?
{a quality} {person} is walking in the {outside}.|two {person}s are sitting in the {outside}.
the {person} has {a color} {garment}.|{a person} is wearing {a color} {garment}.|where is my {garment}?
the {works.0} works in the {works.1}.|{a works.0} works in {a works.1}.|the {works.0} goes to the {works.1}.
the {sound.0} {sound.1}.|{a sound.0} {sound.1} in the {outside}.|{moves.0}s can {moves.1}.|the {moves.0} can {moves.1}.
the {home.0} lives in the {home.1}.|{a home.0} lives in {a home.1}.|{colored.0} is {colored.1}.
the {colored.0} is {colored.1}.|{kind.0} is a kind of {kind.1}.|{a kind.0} is {a kind.1}.|{a kind.0} is {a kind.1}.
the {part.0} is part of the {part.1}.|{a part.0} is part of {a part.1}.|{a part.1} has {a part.0}.
the opposite of {opposite.0} is {opposite.1}.|the opposite of {opposite.1} is {opposite.0}.
is it {opposite.0} or {opposite.1}?|not {opposite.0} but {opposite.1}.|my {family.0} and my {family.1} are here.
the {family.0} and the {family.1}.|his {family.1} and his {family.0} live in {country}.
{sum.0} and {sum.0} are {sum.1}.|{sum.0} and {sum.0} make {sum.1}.|{use.0} with {a use.1}.|we {use.0} with the {use.1}.
"""
# The patterns' "{person}s" where the plural has another form.
PLURALS = {"mans": "men", "womans": "women", "gentlemans": "gentlemen", "childs": "children", "ladys": "ladies",
           "babys": "babies", "foxs": "foxes", "mouses": "mice", "sheeps": "sheep", "wolfs": "wolves"}
FOLLOWING = (
    ("{name} went to the {place}.", "there {he} bought {a thing}."), ("the {person} was {feeling}.", "{he} went home."),
    ("the {pet} is in the {room}.", "it is {feeling}."), ("it was a {weather} {time}.", "we stayed in the {room}."),
    ("{name} is {a person}.", "he lives in {country}."), ("i have {a pet}.", "its name is {name}."),
    ("the {person} opened the {openable}.", "there was {a thing} in the {room}."),
    ("we had {meal} at home.", "the {food} was very good."), ("where is my {garment}?", "it is in the {room}."))


class Plain:
    """Draws documents: lists of plain sentences that share some of their words."""

    def __init__(self, rng):
        self.rng = rng
        self.lists = {key: words.split() for key, words in LISTS.items()}
        self.pairs = {key: [pair.split("/") for pair in words.split()] for key, words in PAIRS.items()}
        self.patterns = [p for p in re.split(r"[|\n]", PATTERNS) if p]
        self.measured = re.compile("|".join(everyday_patterns()))

    def document(self, sentences=24):
        """Returns sentences and pairs of sentences. Neighbours often share a word."""
        result, value = [], {}
        while len(result) < sentences:
            if self.rng.random() < 0.7 or not value:
                value = self.values()
            chosen = self.rng.choice(FOLLOWING) if self.rng.random() < 0.15 else (self.rng.choice(self.patterns),)
            texts = [self.fill(pattern, value) for pattern in chosen]
            result += [text for text in texts if not self.measured.fullmatch(text)]
        return result

    def values(self):
        value = {key: self.rng.choice(words) for key, words in self.lists.items()}
        for key in ("food", "name", "pet"):
            value[f"{key}2"] = self.rng.choice(self.lists[key])
        for key, pairs in self.pairs.items():
            value[f"{key}.0"], value[f"{key}.1"] = self.rng.choice(pairs)
        return value

    @staticmethod
    def fill(pattern, value):
        def word(match):
            article, key = match.groups()
            return with_article(value[key]) if article else value[key]
        text = re.sub(r"\{(a )?([\w.]+)\}", word, pattern)
        return re.sub(r"\w+", lambda match: PLURALS.get(match.group(), match.group()), text)


def everyday_sentences():
    """Returns [(masked sentence, accepted answers)] of everyday.tsv."""
    lines = (Path(__file__).parent / "everyday.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(masked, answers.split()) for masked, answers in rows]


def everyday_patterns():
    """Returns regular expressions for everyday.tsv's sentences in lower case, with any word for the masked one."""
    return [re.escape(masked.lower()).replace(r"\[mask\]", r"\w+") for masked, _ in everyday_sentences()]
