"""What people call games ("Layli Goobalay, the match"), where those live, and which games are variants of another."""

from mancala_env.rules import Ruleset
from mancala_env.rules.plain import text_of

# Where the words of the name alone would not say it.
_TITLES = {
    "oware": "Oware (Abapa)",
    "oware_tutti_a_casa": "Oware, tutti a casa",
    "oware_liberta": "Oware, libertà",
    "oware_territory": "Oware for territory, the match",
    "mangala_tr": "Mangala (World Ethnosport)",
    "mangala_turkey": "Mangala (Turkey)",
    "mangala_suez": "Mangala (Suez)",
    "oware_series_wins": "Oware, a match for wins",
    "oware_series_difference": "Oware, a match for the difference",
}
OTHER_NAMES = {  # besides those that programs know (``mancala_env.games.ALIASES``); other spellings, too
    "oware": "Wari, Warri, Awari, Owari, Awale, Awélé, Ayo, Ouri",
    "kalah": "Mancala, Kalaha, Bantumi",
    "sungka": "Congklak, Congkak, Dakon, Chongka",
    "main_chongkak": "Congkak, Congklak",
    "ovalhu": "Ohvalhu",
    "ayoayo": "Ayo, Ayo Olopon",
    "bao_kiswahili": "Bao, Bawo, Bau",
    "bao_kujifunza": "Bao, Bawo, Bao for beginners",
    "bohnenspiel": "Bean game",
    "omweso": "Mweso, Coro",
    "kubuguza": "Igisoro",
    "hus": "Owela",
    "toguz": "Toguz Korgool, Togyz Kumalak, Nine Pebbles",
    "layli_goobalay": "Leyli Gobale",
    "pallanguzhi": "Pallankuzhi, Vamana Guntalu",
    "o_an_quan": "Mandarin Square Capturing",
    "mangala_tr": "Mangala, Turkish Mangala",
    "en_gehe": "Enkeshui, Endodoi",
    "tshuba": "Ntchuva, Ntxuva",
    "english_wari_st_lucia": "Warri",
    "waurie": "Warri",
    "weg": "Gebeta, Gabata",
    "unnee_tugalluulax": "The cow's calving",
    "katra": "Katro",
}
LANDS = {  # a word of ``Ruleset.people``: countries that it does not name
    "Akan": "Ghana, Ivory Coast", "Ewe": "Ghana, Togo", "Yoruba": "Nigeria, Benin",
    "Caribbean": "Antigua, Barbados, Saint Lucia", "Somali": "Somalia, Ethiopia, Djibouti", "Maasai": "Kenya, Tanzania",
    "Nama": "Namibia", "Damara": "Namibia", "Herero": "Namibia, Botswana", "Swahili": "Kenya, Tanzania, Malawi",
    "Baltic": "Estonia, Latvia", "Germans": "Germany", "Kazakhs": "Kazakhstan", "Kyrgyz": "Kyrgyzstan",
    "Altai": "Russia", "Egyptians": "Egypt", "Suez": "Egypt", "Syrians": "Syria", "Turks": "Turkey, Türkiye",
    "Mizo": "India", "Tunisians": "Tunisia", "Mongols": "Mongolia", "Borneo": "Indonesia", "Senegalese": "Senegal",
    "Zanzibar": "Tanzania", "Bari": "South Sudan", "Didinga": "South Sudan", "Taabwa": "DR Congo, Zambia",
    "Great Lakes": "Rwanda, Burundi, Uganda", "Afar": "Ethiopia, Eritrea, Djibouti", "Tigray": "Ethiopia",
    "Ethiopians": "Ethiopia", "Indians": "India", "South India": "India", "Tamil": "India", "Punjab": "Pakistan",
    "Filipinos": "Philippines", "Indonesians": "Indonesia", "Malays": "Malaysia, Singapore", "Maldivians": "Maldives",
    "Vietnamese": "Vietnam", "Gourounsi": "Burkina Faso, Ghana", "Haitians": "Haiti", "Barbadians": "Barbados",
    "Dominicans": "Dominican Republic", "Cape Verdeans": "Cape Verde, Cabo Verde", "Chamorro": "Guam",
    "St. Lucia": "Saint Lucia", "Makonde": "Tanzania, Mozambique", "Nyanja": "Malawi, Zambia", "Yao": "Malawi",
    "Turkmens": "Turkmenistan", "Mesopotamia": "Iraq", "Senegal valley": "Mauritania", "Champion": "United States",
    "Quioco": "Chokwe", "Bulgaria": "Bulgaria, Russia",
}  # fmt: skip
REGIONS = {  # the region of a game that names none: that of the country or people that it names first
    "West Africa": "Ghana, Ivory Coast, Togo, Benin, Nigeria, Mali, Burkina Faso, Senegal, Mauritania, Liberia, "
    "Cape Verde",
    "Central Africa": "Cameroon, Gabon, Equatorial Guinea, Angola, DR Congo, Congo, Zambia",
    "Southern Africa": "Namibia, Botswana, Zimbabwe, Malawi, Mozambique, South Africa",
    "East Africa": "Kenya, Tanzania, Uganda, Rwanda, Burundi, South Sudan, Madagascar, Seychelles",
    "Horn of Africa": "Ethiopia, Eritrea, Somalia, Djibouti",
    "North Africa": "Egypt, Sudan, Tunisia, Algeria",
    "Middle East": "Turkey, Syria, Iraq, Oman",
    "Europe": "Germany, Estonia, Latvia",
    "Central Asia": "Kazakhstan, Kyrgyzstan, Turkmenistan",
    "South Asia": "India, Pakistan, Sri Lanka, Maldives",
    "East Asia": "China, Mongolia",
    "Southeast Asia": "Vietnam, Indonesia, Malaysia, Philippines",
    "Pacific": "Guam",
    "Caribbean": "Haiti, Barbados, Dominican Republic, Saint Lucia",
    "South America": "Suriname",
}
WORDS = {  # a country: cities, and what else it is looked for by, but for words such as "Kenyan" that begin as its name
    "Ghana": "Accra, Kumasi", "Ivory Coast": "Côte d'Ivoire, Abidjan", "Togo": "Lomé", "Benin": "Béninois, Cotonou",
    "Nigeria": "Lagos, Abuja, Ibadan, Kano", "Mali": "Malian, Bamako", "Burkina Faso": "Burkinabè, Ouagadougou",
    "Senegal": "Dakar", "Mauritania": "Nouakchott", "Cape Verde": "Praia", "Liberia": "Monrovia",
    "Cameroon": "Yaoundé, Douala", "Gabon": "Libreville", "Equatorial Guinea": "Malabo", "Angola": "Luanda, Benguela",
    "Congo": "Kinshasa, Brazzaville", "Zambia": "Lusaka", "Zimbabwe": "Harare, Bulawayo",
    "Malawi": "Lilongwe, Blantyre", "Mozambique": "Mozambican, Maputo", "Namibia": "Windhoek",
    "Botswana": "Tswana, Gaborone", "South Africa": "Johannesburg, Cape Town, Durban, Pretoria",
    "Madagascar": "Malagasy, Antananarivo", "Seychelles": "Seychellois", "Tanzania": "Dar es Salaam, Dodoma, Arusha",
    "Kenya": "Nairobi, Mombasa", "Uganda": "Kampala", "Rwanda": "Kigali", "Burundi": "Bujumbura",
    "South Sudan": "Juba", "Sudan": "Khartoum", "Ethiopia": "Addis Ababa, Abyssinia", "Eritrea": "Asmara",
    "Somali": "Mogadishu, Hargeisa", "Egypt": "Cairo, Alexandria", "Algeria": "Algiers, Oran", "Tunisia": "Sfax",
    "Syria": "Damascus, Aleppo", "Iraq": "Baghdad, Basra, Mosul", "Turkey": "Istanbul, Ankara, Izmir",
    "Oman": "Muscat", "India": "Indian, Delhi, Mumbai, Bombay, Calcutta, Kolkata, Chennai, Madras",
    "Pakistan": "Lahore, Karachi", "Sri Lanka": "Ceylon, Colombo",
    "Maldives": "Malé", "Kazakhstan": "Almaty, Astana", "Kyrgyzstan": "Bishkek, Kirghiz", "Turkmenistan": "Ashgabat",
    "Russia": "Moscow", "Mongolia": "Ulaanbaatar", "China": "Chinese, Beijing, Kunming", "Vietnam": "Hanoi, Saigon",
    "Indonesia": "Jakarta, Java, Makassar", "Malaysia": "Kuala Lumpur", "Philippines": "Manila, Cebu, Pinoy, Tagalog",
    "Estonia": "Tallinn", "Latvia": "Riga", "Bulgaria": "Sofia", "Germany": "Berlin", "Guam": "Guamanian",
    "Haiti": "Port-au-Prince", "Barbados": "Bajan, Bridgetown", "Dominican Republic": "Santo Domingo",
    "Saint Lucia": "Lucian, Castries", "Suriname": "Paramaribo", "United States": "American, USA, New York",
}  # fmt: skip
VARIANTS = {  # of a game whose name their own does not begin with
    "oware": "awari wari_ashanti english_wari_st_lucia uril",
    "kalah": "fairkalah",
    "bao_kiswahili": "bao_kujifunza bao_ki_arabu_zanzibar_1 bao_ki_arabu_zanzibar_2",
    "layli_goobalay": "leyla leyla_gobale_gabradarre leyla_gobale_somaliland",
    "giuthi": "kiuthi kiuthi_match uthi",
    "weg": "gabata_shoa_i gabata_shoa_and_adegrat gabata_shoa_iii tuz",
    "rio_kadalis": "gabata_ghinda gabata_wuqro gabata_oromo lamosh lam_waladach",
    "hoyito_1": "hoyito_2 hoyito_3",
    "omweso": "kubuguza mweiso choro_acholi ikibuguzo_opening_1 ikibuguzo_opening_2",
    "tsoro": "musoro_tsoro misoro_tsoro misoro_tsoro_additional_capture",
    "muvalavala_quioco": "muvalavala_luena",
    "um_el_bagara": "um_el_tuweisat",
    "toguz": "bestemshe",
    "puhulmutu": "kotu_baendum",
    "meusueb": "motiq",
    "chisolo": "namudilakunze",
    "sowing": "isowing",
    "gabata_adowa": "gabata_aksum",
    "pallanguzhi": "pallankuli",
}
_SMALL = frozenset(("a", "and", "el", "la", "of", "ot"))  # words that have no capital, but at the beginning


def title_of(rules: Ruleset) -> str:
    """The name of a game as people write it; changes of its rules follow in brackets: "Kalah (seeds=3)"."""
    text, base = text_of(rules), rules.name.removesuffix("_match")
    changes = "" if text.startswith("{") else text.partition(":")[2]
    words = [
        word if word in _SMALL and k else word.upper() if set(word) == {"i"} else word.capitalize()
        for k, word in enumerate(base.split("_"))
    ]
    title = _TITLES.get(base, " ".join(words)) + (", the match" if base != rules.name else "")
    return title + (f" ({changes.replace(',', ', ')})" if changes else "")


def region_of(people: str) -> str:
    """The region where people live (``REGIONS``); "" if that does not follow from what they are called."""
    regions = {country: region for region, countries in REGIONS.items() for country in countries.split(", ")}
    regions |= {word: regions.get(lands.partition(", ")[0], "") for word, lands in LANDS.items()}
    named = [word for word, region in regions.items() if region and word in people]
    return regions[min(named, key=people.index)] if named else ""
