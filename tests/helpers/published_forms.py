"""Small files in the forms in which offices publish tables of counts.

Most show the same four counts by area and sex with their totals: the women of the North, 3, are hidden and follow from
the others. With `safe` all four are hidden, so that nothing follows.
"""

import csv
import io
import zipfile
from html import escape

AREAS, SEXES = ("North", "South", "Total"), ("Male", "Female", "Total")
COUNTS = {("North", "Male"): 20, ("North", "Female"): 3, ("South", "Male"): 31, ("South", "Female"): 25}
GERMAN = "männlich", "weiblich", "Insgesamt"


def cells(safe):
    """Area, sex, and the count, None where it is hidden."""
    for area in AREAS:
        for sex in SEXES:
            parts = [n for (a, s), n in COUNTS.items() if area in (a, "Total") and sex in (s, "Total")]
            inner = area != "Total" and sex != "Total"
            yield area, sex, None if (area, sex) == ("North", "Female") or (safe and inner) else sum(parts)


def as_csv(header, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def lines(*texts):
    return "\n".join(texts) + "\n"


def table(header, row, marker="*", *, total="Total", sexes=SEXES, kinds=("", ""), flags=("", ""), number=str):
    """The file of a line for each area and sex, given what such a line is.

    Fields of the line are the `area`, `sex` and `i`, its number; what this office calls them, `a` and `s`, and places
    them at, `A` and `S`, from 0, and `A1` and `S1`, from 1; the `kind` of the area (a part, or all); `n`, nothing where
    the count is hidden, `t`, the marker then, and `f`, the flag beside it (of a count that is shown, or hidden).
    """

    def made(safe):
        rows = []
        for i, (area, sex, n) in enumerate(cells(safe)):
            at, of, hidden = AREAS.index(area), SEXES.index(sex), n is None
            places = {"i": i, "A": at, "A1": at + 1, "S": of, "S1": of + 1, "kind": kinds[area == "Total"]}
            named = {"area": area, "sex": sex, "a": total if area == "Total" else area, "s": sexes[of]}
            count = {"n": "" if hidden else n, "t": marker if hidden else number(n), "f": flags[hidden]}
            rows.append(row.format(**places, **named, **count))
        return lines(header, *rows)

    return made


def plain(header, marker="*", **words):
    """The same with three columns, between which the header has a comma, a semicolon or a tab."""
    return table(
        header, next(each for each in ";\t," if each in header).join(("{area}", "{sex}", "{t}")), marker, **words
    )


def encoded(made, encoding):
    return lambda safe: made(safe).encode(encoding)


def workbook(safe, *below):
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["Table 1: Admissions"], [], ["area", "sex", "count"]):
        book.active.append(row)
    for area, sex, n in cells(safe):
        book.active.append([area, sex, "[c]" if n is None else n])
    for note in below:
        book.active.append([note])
    book.save(content := io.BytesIO())
    return {"t.xlsx": content.getvalue()}


def open_document(rows, columns=""):
    """A workbook of LibreOffice; of a row that is a text, its cells as they stand in the file, below its columns."""
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    made = ""
    for row in rows:
        cells = (
            f'<table:table-cell office:value-type="float" office:value="{cell}"/>'
            if cell.isdigit()
            else f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
            for cell in row
        )
        made += f"<table:table-row>{row if isinstance(row, str) else ''.join(cells)}</table:table-row>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(content := io.BytesIO(), "w") as packed:
        packed.writestr("mimetype", kind)
        entry = f'<m:file-entry m:full-path="/" m:media-type="{kind}"/>'
        space = 'xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
        packed.writestr("META-INF/manifest.xml", f"<m:manifest {space}>{entry}</m:manifest>")
        packed.writestr(
            "content.xml",
            f"<office:document-content{spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="S">{columns}{made}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )
    return content.getvalue()


def parquet(safe):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = list(cells(safe))
    columns = {"area": [r[0] for r in rows], "sex": [r[1] for r in rows], "count": [r[2] for r in rows]}
    pq.write_table(pa.table(columns), content := io.BytesIO())
    return {"t.parquet": content.getvalue()}


def shares_in_columns(safe):
    rows = []
    for area in AREAS:
        numbers = [n for a, _, n in cells(safe) if a == area]
        rows.append([area, *("*" if n is None else f"{n} ({100 * n / numbers[2]:.1f}%)" for n in numbers)])
    return as_csv(["area", *SEXES], rows)


def statline(safe):
    provinces = {"PV20": (20, 3), "PV21": (31, 25), "PV22": (14, 19), "PV23": (22, 18)}
    provinces["NL01"] = tuple(map(sum, zip(*provinces.values(), strict=True)))
    rows = []
    for code, (men, women) in provinces.items():
        inner = code != "NL01" and safe
        for sex, n in (("T001038", men + women), ("3000   ", men), ("4000   ", women)):
            hidden = n == 3 or (inner and sex != "T001038")
            rows.append([len(rows), sex, f"{code}  ", "2023JJ00", "       ." if hidden else f"{n:>8}"])
    return as_csv(["ID", "Geslacht", "RegioS", "Perioden", "Overledenen_1"], rows).replace(",", ";")


def cdc(safe):
    """Totals have a word in the column of notes, and no labels."""
    header = ["Notes", "State", "State Code", "Sex", "Sex Code", "Deaths"]
    return as_csv(header, [["Total" if "Total" in (a, s) else "", "" if a == "Total" else a,
                            "" if a == "Total" else AREAS.index(a) + 1, "" if s == "Total" else s,
                            "" if s == "Total" else s[0], "Suppressed" if n is None else n]
                           for a, s, n in cells(safe)])  # fmt: skip


def pxweb(safe):
    rows = {area: [".." if n is None else str(n) for a, _, n in cells(safe) if a == area] for area in AREAS}
    return lines(";".join(["region", *SEXES]), *(";".join([area, *texts]) for area, texts in rows.items()))


def measures(people):
    header = ["measure", "interval_start", "interval_end", "ratio", "numerator", "denominator", "sex"]
    return as_csv(header, [["seen", "2023-01-01", "2023-01-31", n / d, n, d, sex] for sex, n, d in people])


def fingertips():
    header = ["Indicator ID", "Area Name", "Sex", "Age", "Time period", "Value", "Lower CI 95.0 limit",
              "Upper CI 95.0 limit", "Count", "Denominator", "Value note"]  # fmt: skip
    people = {("England", "Persons"): (26, 120250), ("England", "Male"): (18, 63580), ("England", "Female"): (8, 56670),
              ("Westmoor", "Persons"): (15, 59830), ("Westmoor", "Male"): (13, 34355),
              ("Westmoor", "Female"): (None, 25475), ("Eastholm", "Persons"): (11, 60420),
              ("Eastholm", "Male"): (5, 29225), ("Eastholm", "Female"): (6, 31195)}  # fmt: skip
    rows = []
    for (area, sex), (n, d) in people.items():
        values = ["", "", "", ""] if n is None else [f"{n / d * 1e5:.2f}", "1.23", "45.67", n]
        rows.append(["40501", area, sex, "<75 yrs", "2022", *values, d, "suppressed" if n is None else ""])
    return as_csv(header, rows)


WONDER_SAYS = '"---"', '"Dataset: Underlying Cause of Death"', '"Query Parameters:"', '"Group By: State; Sex"', '"---"'
wonder = table("Notes\tState\tSex\tDeaths", "\t{area}\t{sex}\t{t}", "Suppressed")


OFFICES = {
    "Statistics Canada": table(
        "REF_DATE,GEO,DGUID,Sex,UOM,UOM_ID,SCALAR_FACTOR,SCALAR_ID,VECTOR,COORDINATE,VALUE,STATUS,SYMBOL,TERMINATED,"
        "DECIMALS",
        "2023,{area},2021A{i},{sex},Persons,249,units,0,v{i},1.{i},{n},{f},,,0",
        flags=("", "x"),
    ),
    "PxStat": table(
        "STATISTIC,Statistic Label,TLIST(A1),Year,C02076V03371,Area,C02199V02655,Sex,UNIT,VALUE",
        "B01,Persons,2023,2023,{A},{area},{S},{sex},Number,{t}",
        "..",
    ),
    "PxWeb": pxweb,
    "ONS, with `Data Marking`": table(
        "v4_1,Data Marking,calendar-years,Time,admin-geography,Geography,sex,Sex",
        "{n},{f},2023,2023,E{A},{area},{s},{sex}",
        sexes=("male", "female", "total"),
        flags=("", "[c]"),
    ),
    "NHS Scotland, `QF` columns": table(
        "Year,HB,HBQF,HBName,Sex,SexQF,NumberOfPatients,NumberOfPatientsQF",
        "2023,S0800{A},,{area},{sex},{s},{n},{f}",
        sexes=("", "", "d"),
        flags=("", "c"),
    ),
    "CDC, totals in a column of notes": cdc,
}

OF_AREA_AND_SEX = {
    "Eurostat, SDMX-CSV with `OBS_FLAG`": table(
        "DATAFLOW,LAST UPDATE,freq,unit,sex,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG",
        "ESTAT:DEMO(1.0),2024-01-01,A,NR,{s},{a},2023,{n},{f}",
        total="DE",
        sexes="MFT",
        flags=("", "c"),
    ),
    "INSEE, Melodi": table(
        "GEO;GEO_OBJECT;SEX;TIME_PERIOD;OBS_VALUE;CONF_STATUS",
        "{a};{kind};{s};2022;{n};{f}",
        total="F",
        sexes=("M", "F", "_T"),
        kinds=("DEP", "FRANCE"),
        flags=("F", "C"),
    ),
    "OECD, codes and labels": table(
        "STRUCTURE,STRUCTURE_ID,STRUCTURE_NAME,ACTION,REF_AREA,Reference area,SEX,Sex,TIME_PERIOD,Time period,"
        "OBS_VALUE,Observation value,OBS_STATUS,Observation status,UNIT_MULT,Unit multiplier,DECIMALS,Decimals",
        "DATAFLOW,OECD:X(1.0),Deaths,I,{a:.3},{area},{s},{sex},2023,,{n},,{f},,0,Units,0,Zero",
        total="OECD",
        sexes=("M", "F", "_T"),
        flags=("A", "C"),
    ),
    "Australia, labels behind names": table(
        "DATAFLOW,SEXP: Sex,REGION: Region,TIME_PERIOD: Time Period,OBS_VALUE,OBS_STATUS: Observation Status",
        "ABS:C21(1.0.0),{S1}: {s},{A}: {area},2021,{n},{f}",
        sexes=("Males", "Females", "Persons"),
        flags=("", "np: not published"),
    ),
    "Australia, TableBuilder with lines above": lambda safe: (
        lines('"Australian Bureau of Statistics"', "", '"2021 Census - counting persons"', '"Counting: Persons"', "")
        + plain("REGION,SEXP,Count")(safe)
    ),
    "UKHSA, dashboard": table(
        "theme,sub_theme,topic,geography_type,geography,geography_code,metric,metric_group,stratum,sex,age,year,month,"
        "epiweek,date,metric_value,in_reporting_delay_period",
        "infectious_disease,respiratory,Measles,{kind},{a},E{A},measles_cases,cases,default,{s},all,2024,3,10,2024-03-04,"
        "{t},False",
        total="England",
        sexes=("m", "f", "all"),
        kinds=("Region", "Nation"),
    ),
    "statistics.gov.scot": table(
        "FeatureCode,DateCode,Measurement,Units,Value,Gender",
        "S0800{A},2023,Count,People,{t},{s}",
        sexes=("Male", "Female", "All"),
    ),
    "StatsWales": table(
        "Data,RowKey,Area_Code,Area_ItemName_ENG,Area_SortOrder,Area_Hierarchy,Year_Code,Year_ItemName_ENG,Sex_Code,"
        "Sex_ItemName_ENG",
        "{t},{i},W0{A},{area},{A1},,202324,2023-24,{S1},{sex}",
    ),
    "Destatis, flat": table(
        "Statistik_Code;Statistik_Label;Zeit_Code;Zeit_Label;Zeit;1_Merkmal_Code;1_Merkmal_Label;1_Auspraegung_Code;"
        "1_Auspraegung_Label;2_Merkmal_Code;2_Merkmal_Label;2_Auspraegung_Code;2_Auspraegung_Label;"
        "BEV034__Gestorbene__Anzahl",
        "12613;Statistik der Sterbefälle;JAHR;Jahr;2023;DLAND;Bundesländer;{A:02d};{a};GES;Geschlecht;GES{sex[0]};{s};"
        "{t}",
        ".",
        total="Insgesamt",
        sexes=GERMAN,
    ),
    "INE, a column of periods": table(
        "Provincias;Sexo;Periodo;Total",
        "{a};{s};2023;{t}",
        "..",
        total="Total Nacional",
        sexes=("Hombres", "Mujeres", "Ambos sexos"),
    ),
    "StatLine, codes alone": statline,
    "dates in the header": plain("area,sex,2024-01,2024-02", "*,*", number=lambda n: f"{n},{2 * n}"),
    "a title above the table": lambda safe: "Table 1: Admissions by area\n\n" + plain("area,sex,count")(safe),
    "Excel, a title above": workbook,
    "notes below the table": lambda safe: (
        plain("area,sex,count")(safe)
        + lines(",,", "Source: Office of Statistics,,", '"* Small numbers, below 5, are not shown",,')
    ),
    "Excel, notes below": lambda safe: workbook(
        safe, "Notes:", "[c] = fewer than 5 people", "1. Residents, at the end of March"
    ),
    "CDC WONDER, notes below": lambda safe: {"t.tsv": wonder(safe) + lines(*WONDER_SAYS)},
    "Eurostat, TSV": lambda safe: {
        "t.tsv": table(
            "freq,unit,sex,geo\\TIME_PERIOD\t2022 \t2023 ",
            "A,NR,{s},{a}\t{t}",
            ": c \t: c ",
            total="DE",
            sexes="MFT",
            number=lambda n: f"{n} \t{2 * n} p ",
        )(safe)
    },
    "Parquet, hidden as null": parquet,
    "UTF-8 with a mark, semicolons": encoded(plain("area;sex;count"), "utf-8-sig"),
    "UTF-16, French": encoded(plain("Région;sexe;effectif", "s"), "utf-16"),
    "Windows-1252, German": encoded(table("Gebiet;Geschlecht;Fälle", "{area};{s};{t}", ".", sexes=GERMAN), "cp1252"),
    "narrow blanks for thousands": plain(
        "zone;sexe;effectif", "s", number=lambda n: f"{n * 1234:,}".replace(",", "\u202f")
    ),
    "apostrophes for thousands": plain(
        "Kanton;Geschlecht;Anzahl", "X", number=lambda n: f"{n * 1234:,}".replace(",", "'")
    ),
    "a flag behind numbers": plain("area,sex,count", number=lambda n: str(n) if n in (28, 31, 56) else f"{n} p"),
    "uncertain numbers in brackets": plain(
        "area,sex,count", number=lambda n: str(n) if n in (28, 31, 56) else f"({n})"
    ),
    "raised numbers of notes": plain("area,sex,count", number=lambda n: str(n) if n in (28, 31, 56) else f"{n}\u00b9"),
    "small counts blank": plain("area,sex,count", ""),
    "SQL's rollup, blank for all": plain("area,sex,count", total="", sexes=("Male", "Female", "")),
    "`n (%)` in columns": shares_in_columns,
}

ONCE = {
    "markers in German": plain("Gebiet;Geschlecht;Anzahl", "weniger als 5")(safe=False),
    "markers in French, `nombre`": plain("zone;sexe;nombre", "moins de 5")(safe=False),
    "markers in Spanish": plain("zona;sexo;casos", "menos de 5")(safe=False),
    "decimal commas": lines(
        "Gebiet;Fälle;Bevölkerung;Rate",
        *(
            f"{area};{n};{people};{n / people * 1e5:.1f}".replace(".", ",")
            for area, n, people in (("A", 41, 1823), ("B", 19, 2211), ("C", 133, 6104), ("Gesamt", 193, 10138))
        ),
    ),
    "numbers for regions and sexes": lines(
        "region,sex,count",
        "1,1,12",
        "1,2,*",
        "1,3,15",
        "2,1,25",
        "2,2,31",
        "2,3,56",
        "3,1,14",
        "3,2,22",
        "3,3,36",
        "4,1,9",
        "4,2,18",
        "4,3,27",
        "9,1,60",
        "9,2,74",
        "9,3,134",
    ),
    "small counts left out": lines(
        "area,sex,count", *(f"{a},{s},{n}" for a, s, n in cells(safe=False) if n is not None)
    ),
    "NUTS codes, regions inside of each other": lines(
        "geo,deaths", "DE,100", "DE1,60", "DE11,25", "DE12,35", "DE2,40", "DE21,*", "DE22,38"
    ),
    "sex and age in one column": lines(
        "group,cases", "Male 0-17,12", "Male 18+,15", "Female 0-17,*", "Female 18+,30", "Total,60"
    ),
    "age bands": lines(
        "age_group,sex,cases",
        "0-17,f,12",
        "0-17,m,15",
        "18-64,f,22",
        "18-64,m,30",
        "65+,f,*",
        "65+,m,31",
        "All ages,f,38",
        "All ages,m,76",
    ),
    "ONS, perturbed by cell keys": lines(
        "Area Code,Area,Sex Code,Sex,Observation",
        "E1,N,1,M,19",
        "E1,N,2,F,12",
        "E1,N,0,Total,32",
        "E2,S,1,M,30",
        "E2,S,2,F,26",
        "E2,S,0,Total,55",
        "E0,Total,1,M,50",
        "E0,Total,2,F,37",
        "E0,Total,0,Total,88",
    ),
    "Census Bureau, margins of error": lines(
        "GEO_ID,NAME,B01001_001E,B01001_001M,B01001_002E,B01001_002M",
        "1400000US01,Tract 1,4210,301,2007,210",
        "1400000US02,Tract 2,3110,281,1505,190",
    ),
    "QOF, a register of a list": lines(
        "PRACTICE_CODE,GROUP_CODE,REGISTER,PATIENT_LIST_TYPE,PATIENT_LIST_SIZE",
        *(f"A8100{i},AF,{21 + i * 3},TOTAL,{1000 + i * 17}" for i in range(6)),
    ),
    "new and cumulative cases": lines(
        "date,area,newCases,cumCases",
        "2021-05-01,A,10,110",
        "2021-05-01,B,12,90",
        "2021-05-02,A,13,123",
        "2021-05-02,B,20,110",
    ),
    "ISO weeks in one column": lines(
        "week,area,cases",
        *(
            f"2024-W0{week},{area},{n}"
            for week in (1, 2, 3)
            for area, n in (("A", 20 + week), ("B", 31), ("All", 51 + week))
        ),
    ),
    "numerator and denominator": lines(
        "practice,numerator,denominator,percentage",
        *(
            f"{practice},{n},{d},{100 * n / d:.1f}"
            for practice, n, d in (("P1", 41, 82), ("P2", 19, 60), ("P3", 33, 90), ("Total", 93, 232))
        ),
    ),
    "percent of a total that is not shown": lines("area,n,percent", "A,11,0.1642", "B,16,0.2388", "C,40,0.5970"),
    "rates with confidence limits": lines(
        "area,count,rate,lower_ci,upper_ci", "A,41,22.5,18.1,26.9", "B,19,8.6,5.2,12.0", "Total,60,15.0,12.1,18.0"
    ),
    "HESA, rounded to 5": lines(
        "Provider,Sex,Number",
        "A,Female,120",
        "A,Male,85",
        "A,Total,210",
        "B,Female,0",
        "B,Male,35",
        "B,Total,35",
        "C,Female,..",
        "C,Male,..",
        "C,Total,15",
    ),
    "cases and deaths": lines("county,cases,deaths", "A,41,3", "B,19,0", "C,133,12", "Total,193,15"),
    "year to date": {
        f"2024-0{month}.csv": lines(
            "area,cases_ytd", f"A,{10 * month}", f"B,{12 * month + 1}", f"Total,{22 * month + 1}"
        )
        for month in (1, 2, 3)
    },
    "exact, then rounded to 5": {
        "2022.csv": lines(
            "area,sex,count",
            "N,f,41",
            "N,m,*",
            "N,All,*",
            "S,f,33",
            "S,m,26",
            "S,All,59",
            "All,f,74",
            "All,m,28",
            "All,All,102",
        ),
        "2023.csv": lines(
            "area,sex,count",
            "N,f,40",
            "N,m,0",
            "N,All,45",
            "S,f,35",
            "S,m,25",
            "S,All,60",
            "All,f,75",
            "All,m,30",
            "All,All,105",
        ),
    },
    "sub-totals, rounded to 5": lines(
        "area,sex,count",
        "All,f,720",
        "All,m,620",
        "All,All,1345",
        "North,f,450",
        "North,m,380",
        "North,All,835",
        "a,f,225",
        "a,m,205",
        "a,All,430",
        "b,f,225",
        "b,m,175",
        "b,All,405",
        "South,f,270",
        "South,m,240",
        "South,All,510",
        "c,f,165",
        "c,m,0",
        "c,All,170",
        "d,f,105",
        "d,m,235",
        "d,All,340",
    ),
    "labels written once": lines(
        "area,sex,count",
        "Total,Total,112",
        ",F,52",
        ",M,60",
        "North,Total,62",
        ",F,30",
        ",M,32",
        "South,Total,50",
        ",F,22",
        ",M,28",
    ),
}

REFUSED = {
    "below the table a line that may be data": plain("area,sex,count")(safe=False) + "West,,\n",
    "a title as wide as the table": "Table 1,Cases by area,2024\n" + plain("area,sex,count")(safe=False),
    "two lines of header": lines(
        ",Persons,Persons,Persons", "Area,Male,Female,Total", "North,20,*,23", "South,31,25,56"
    ),
    "blank rows between areas": lines(
        "area,sex,count",
        "North,Male,20",
        "North,Female,*",
        "North,Total,23",
        ",,",
        "South,Male,31",
        "South,Female,25",
        "South,Total,56",
        ",,",
        "West,Male,21",
    ),
    "sexes below each area": lines("area,count", "North,23", "Male,20", "Female,*", "South,56", "Male,31", "Female,25"),
    "an apostrophe before numbers": plain("area,sex,count", number=lambda n: f"'{n}")(safe=False),
    "powers of ten": plain("area,sex,OBS_VALUE", number=lambda n: f"{n}00" if n < 30 else f"{n / 10}E+03")(safe=False),
    "tau-Argus, CSV with statuses": lines('"Size","Region","Freq","Status"', '"2","N",3,5', '"2","Z",14,1'),
}
