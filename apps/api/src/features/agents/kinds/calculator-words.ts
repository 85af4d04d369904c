import type { AgentLanguage } from '../agent-kind.ts'

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

/** What is said in words between numbers, and the sign for it; the order matters. */
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

/** What the answers say. */
export const words: Record<
  AgentLanguage,
  {
    locale: string
    approximately: string
    solutions: string
    days: (count: number) => string
    weeks: (count: number) => string
    and: string
    fromTo: (from: string, to: string) => string
    count: string
    sum: string
    mean: string
    median: string
    minimum: string
    maximum: string
    standardDeviation: string
    notUnderstood: string
    /** Of what only the engine has words for. */
    refused: (reason: string) => string
  }
> = {
  en: {
    locale: 'en-GB',
    approximately: 'approximately',
    solutions: 'Solutions',
    days: (count) => (count === 1 ? '1 day' : `${count} days`),
    weeks: (count) => `${count} ${count === 1 ? 'week' : 'weeks'}`,
    and: 'and',
    fromTo: (from, to) => `From ${from} to ${to}`,
    count: 'Count',
    sum: 'Sum',
    mean: 'Mean',
    median: 'Median',
    minimum: 'Minimum',
    maximum: 'Maximum',
    standardDeviation: 'Standard deviation',
    notUnderstood:
      'I could not read this as a calculation. Try "15% of 80", "5 miles in km" or "days until 24 December".',
    refused: (reason) => `This could not be worked out: ${reason}`,
  },
  es: {
    locale: 'es-ES',
    approximately: 'aproximadamente',
    solutions: 'Soluciones',
    days: (count) => (count === 1 ? '1 día' : `${count} días`),
    weeks: (count) => `${count} ${count === 1 ? 'semana' : 'semanas'}`,
    and: 'y',
    fromTo: (from, to) => `Del ${from} al ${to}`,
    count: 'Cantidad',
    sum: 'Suma',
    mean: 'Media',
    median: 'Mediana',
    minimum: 'Mínimo',
    maximum: 'Máximo',
    standardDeviation: 'Desviación estándar',
    notUnderstood:
      'No he podido leer esto como un cálculo. Prueba «15% de 80», «5 millas en km» o «días hasta el 24 de diciembre».',
    refused: (reason) => `No se ha podido calcular: ${reason}`,
  },
  fr: {
    locale: 'fr-FR',
    approximately: 'environ',
    solutions: 'Solutions',
    days: (count) => (count <= 1 ? `${count} jour` : `${count} jours`),
    weeks: (count) => `${count} ${count <= 1 ? 'semaine' : 'semaines'}`,
    and: 'et',
    fromTo: (from, to) => `Du ${from} au ${to}`,
    count: 'Nombre',
    sum: 'Somme',
    mean: 'Moyenne',
    median: 'Médiane',
    minimum: 'Minimum',
    maximum: 'Maximum',
    standardDeviation: 'Écart type',
    notUnderstood:
      "Je n'ai pas pu lire cela comme un calcul. Essayez « 15% de 80 », « 5 miles en km » ou « jours jusqu'au 24 décembre ».",
    refused: (reason) => `Cela n’a pas pu être calculé : ${reason}`,
  },
  de: {
    locale: 'de-DE',
    approximately: 'ungefähr',
    solutions: 'Lösungen',
    days: (count) => (count === 1 ? '1 Tag' : `${count} Tage`),
    weeks: (count) => `${count} ${count === 1 ? 'Woche' : 'Wochen'}`,
    and: 'und',
    fromTo: (from, to) => `Von ${from} bis ${to}`,
    count: 'Anzahl',
    sum: 'Summe',
    mean: 'Mittelwert',
    median: 'Median',
    minimum: 'Minimum',
    maximum: 'Maximum',
    standardDeviation: 'Standardabweichung',
    notUnderstood:
      'Das konnte ich nicht als Rechnung lesen. Versuch „15% von 80“, „5 Meilen in km“ oder „Tage bis 24. Dezember“.',
    refused: (reason) => `Das ließ sich nicht ausrechnen: ${reason}`,
  },
}

/** Why the engine refuses, by its own words. */
export const refusals: Readonly<Record<string, Record<Exclude<AgentLanguage, 'en'>, string>>> = {
  'The result has too many digits.': {
    es: 'El resultado tiene demasiadas cifras.',
    fr: 'Le résultat a trop de chiffres.',
    de: 'Das Ergebnis hat zu viele Stellen.',
  },
  'The result is too long.': {
    es: 'El resultado es demasiado largo.',
    fr: 'Le résultat est trop long.',
    de: 'Das Ergebnis ist zu lang.',
  },
  'This calculation is too long.': {
    es: 'Este cálculo es demasiado largo.',
    fr: 'Ce calcul est trop long.',
    de: 'Diese Rechnung ist zu lang.',
  },
  'This calculation is too large.': {
    es: 'Este cálculo es demasiado grande.',
    fr: 'Ce calcul est trop grand.',
    de: 'Diese Rechnung ist zu groß.',
  },
  'This calculation takes too long.': {
    es: 'Este cálculo tarda demasiado.',
    fr: 'Ce calcul prend trop de temps.',
    de: 'Diese Rechnung dauert zu lange.',
  },
  'This has no finite result (a division by zero?).': {
    es: 'Esto no tiene un resultado finito (¿una división por cero?).',
    fr: 'Cela n’a pas de résultat fini (une division par zéro ?).',
    de: 'Das hat kein endliches Ergebnis (eine Division durch null?).',
  },
  'No solution was found between -1000 and 1000.': {
    es: 'No se ha encontrado ninguna solución entre -1000 y 1000.',
    fr: 'Aucune solution n’a été trouvée entre -1000 et 1000.',
    de: 'Zwischen -1000 und 1000 wurde keine Lösung gefunden.',
  },
  'The equation has no unknown.': {
    es: 'La ecuación no tiene ninguna incógnita.',
    fr: 'L’équation n’a pas d’inconnue.',
    de: 'Die Gleichung hat keine Unbekannte.',
  },
  'The calculator is busy. Try again in a moment.': {
    es: 'La calculadora está ocupada. Inténtalo de nuevo en un momento.',
    fr: 'La calculatrice est occupée. Réessayez dans un instant.',
    de: 'Der Rechner ist beschäftigt. Versuche es gleich noch einmal.',
  },
  'The calculator stopped. Try again.': {
    es: 'La calculadora se ha detenido. Inténtalo de nuevo.',
    fr: 'La calculatrice s’est arrêtée. Réessayez.',
    de: 'Der Rechner hat angehalten. Versuche es noch einmal.',
  },
}
