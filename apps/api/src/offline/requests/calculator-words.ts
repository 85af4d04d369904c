/** Openings of a question that say nothing about the calculation itself. */
export const openings =
  /^(?:(?:please|bitte|por favor|s'il (?:te|vous) pla[iî]t)[\s,]+)?(?:(?:can|could) you\s+)?(?:(?:what(?:'s| is| are)(?: the (?:result|value) of)?|how much (?:is|are)|how many is|calculate|compute|evaluate|work out|solve|convert|tell me|was (?:ist|sind|ergibt)|wie ?viel (?:ist|sind|macht|ergibt)|berechne|rechne|löse|wandle|cuánto (?:es|son|da)|cuál es|calcula|resuelve|convierte|combien (?:font?|fait)|quel(?:le)? est|calcule[rz]?|résous|convertis|convertir)\b[\s:]*)+/iu

/** An article before what is to be worked out. */
export const articles = /^(?:the|el|la|los|las|le|les|der|die|das)\s+|^l['’]/iu

/** So much percent less than an amount. */
export const discounts =
  /([\d.]+)\s*(?:%|percent|prozent|por ciento|pour ?cent)\s*(?:off(?: of)?|discount on|rabatt auf|de descuento (?:en|de|sobre)|de (?:réduction|remise|rabais) sur)\s+([\d.]+)/giu

/** Feet with inches, whose unit is often left out, and is a word for “in” as well. */
export const feetAndInches =
  /(\d[\d.]*)\s*(?:ft|feet|foot|['′])\s*(?:and\s+)?(\d[\d.]*)(?:\s*(?:inch(?:es)?|in|["″]))?(?=\s+(?:in|into|to|as|en|a|nach|als)\s|$)/giu

/** Spoken operators and their signs; the order matters. */
export const operators: readonly [RegExp, string][] = [
  [/\b(?:to the power of|hoch|elevado a(?: la)?|puissance)\b/giu, '^'],
  [/\b(?:squared|al cuadrado|au carré|zum quadrat)/giu, '^2'],
  [/\b(?:cubed|al cubo|au cube)\b/giu, '^3'],
  [/\b(?:divided by|geteilt durch|dividido (?:por|entre)|divisé par)\b/giu, '/'],
  [/\b(?:multiplied by|times|mal|multiplicado por|por|fois|multiplié par)\b(?=\s*[-(\d])/giu, '*'],
  [/\b(?:plus|más|und)\b(?=\s*[-(\d])/giu, '+'],
  [/\b(?:minus|less|weniger|menos|moins)\b(?=\s*[-(\d])/giu, '-'],
  [
    /\b(?:the )?(?:square root of|quadratwurzel (?:aus|von)|wurzel (?:aus|von)|raíz cuadrada de|racine(?: carrée)? de)\s*\(?\s*([\d.]+)\s*\)?/giu,
    'sqrt($1)',
  ],
  [/√\s*\(?\s*([\d.]+)\s*\)?/gu, 'sqrt($1)'],
  [/(?<=[\d)])\s*[x×·]\s*(?=[-(\d])/gu, ' * '],
  [/÷/gu, '/'],
  [/[−–]/gu, '-'],
  [/π/gu, 'pi'],
  [/²/gu, '^2'],
  [/³/gu, '^3'],
]

/** Names of units that mathjs does not know by themselves. */
export const units: readonly [RegExp, string][] = [
  [/(?:°\s*|\b(?:degrees?|grad|grados?|degrés?)\s+)(?:c\b|celsius)|\bcelsius\b/giu, 'degC'],
  [/(?:°\s*|\b(?:degrees?|grad|grados?|degrés?)\s+)(?:f\b|fahrenheit)|\bfahrenheit\b/giu, 'degF'],
  [/\b(?:kilometern?|kilometres?|kilómetros?|kilomètres?)\b/giu, 'km'],
  [/\b(?:metern?|metros?|mètres?)\b/giu, 'm'],
  [/\b(?:zentimetern?|centimetres?|centímetros?|centimètres?)\b/giu, 'cm'],
  [/\b(?:meilen?|millas?)\b/giu, 'miles'],
  [/\b(?:fuß|pies?|pieds?)\b/giu, 'feet'],
  [/\b(?:zoll|pulgadas?|pouces?)\b/giu, 'inch'],
  [/\b(?:pfund|libras?|livres?|pounds?)\b/giu, 'lb'],
  [/\b(?:unzen?|onzas?|onces?)\b/giu, 'oz'],
  [/\b(?:kilos?|kilogramm|kilogramos?|kilogrammes?)\b/giu, 'kg'],
  [/\b(?:gramm|gramos?|grammes?)\b/giu, 'g'],
  [/\b(?:litern?|litros?|litres?)\b/giu, 'l'],
  [/\b(?:stunden?|horas?|heures?)\b/giu, 'hours'],
  // min( ) is the smallest of a list
  [/\b(?:minuten|minutos?)\b|\bmins?\b(?!\s*\()/giu, 'minutes'],
  [/\b(?:sekunden?|segundos?|secondes?)\b/giu, 'seconds'],
  [/\b(?:tagen?|días?|jours?)\b/giu, 'days'],
  [/\b(?:wochen?|semanas?|semaines?)\b/giu, 'weeks'],
]

/** Ways to ask for figures about a list of numbers. */
export const statistics: readonly [
  RegExp,
  'all' | 'mean' | 'median' | 'sum' | 'minimum' | 'maximum' | 'standardDeviation',
][] = [
  [/\b(?:statistics|stats|statistik|estadísticas|statistiques)\b/iu, 'all'],
  [
    /\b(?:standard deviation|std|standardabweichung|desviación (?:estándar|típica)|écart[- ]type)\b/iu,
    'standardDeviation',
  ],
  [/\b(?:median|mediana|médiane)\b/iu, 'median'],
  [/\b(?:mean|average|mittelwert|durchschnitt|media|promedio|moyenne)\b/iu, 'mean'],
  [/\b(?:sum|total|summe|suma|somme)\b/iu, 'sum'],
  [/\b(?:minimum|smallest|kleinste|mínimo)\b/iu, 'minimum'],
  [/\b(?:maximum|largest|größte|máximo)\b/iu, 'maximum'],
]

/** Days that have a name instead of a date: month (1 to 12) and day. */
export const namedDays: readonly [RegExp, number, number][] = [
  [/\b(?:christmas eve|heiligabend|heilig abend|nochebuena|réveillon de noël)\b/iu, 12, 24],
  [/\b(?:christmas(?: day)?|weihnachten|navidad|noël)\b/iu, 12, 25],
  [/\b(?:new year'?s eve|silvester|nochevieja|saint[- ]sylvestre)\b/iu, 12, 31],
  [/\b(?:new year'?s?(?: day)?|neujahr|año nuevo|nouvel an)\b/iu, 1, 1],
  [/\b(?:valentine'?s day|valentinstag|san valentín|saint[- ]valentin)\b/iu, 2, 14],
  [/\b(?:halloween)\b/iu, 10, 31],
]
