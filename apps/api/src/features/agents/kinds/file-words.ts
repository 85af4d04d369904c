import type { MediaSort, MediaType } from '@mira/shared'

/** Words for each type in all four languages; `null` is any. A more exact word comes first. */
export const typeWords: readonly [MediaType | null, RegExp][] = [
  ['document', /(?<!\p{L})(?:pdfs?|documents?|documentos?|dokumenten?|dokumente?)(?!\p{L})/iu],
  [
    'audio',
    /(?<!\p{L})(?:audios?|recordings?|songs?|music|grabaci[oó]n(?:es)?|canci[oó]n(?:es)?|música|enregistrements?|chansons?|musique|tonaufnahmen?|lieder|musik)(?!\p{L})/iu,
  ],
  ['video', /(?<!\p{L})(?:videos?|vídeos?|vidéos?|films?|filmen?|filme|movies?|clips?|películas?)(?!\p{L})/iu],
  [
    'image',
    /(?<!\p{L})(?:pictures?|photos?|images?|pics|screenshots?|fotos?|imagen|imágenes|bildern?|bilder|bild)(?!\p{L})/iu,
  ],
  [
    null,
    /(?<!\p{L})(?:files?|items?|uploads?|uploaded|memory|archivos?|ficheros?|elementos?|sub[íi]|subid[oa]s?|memoria|fichiers?|éléments?|ajoutée?s?|importée?s?|mémoire|dateien?|hochgeladene?[nrs]?|gedächtnis)(?!\p{L})/iu,
  ],
]

/** Phrases for size, count and search questions. */
export const wishWords: Readonly<Record<'size' | 'count' | 'find', RegExp>> = {
  size: /how much (?:space|storage|room)|take up|\bsize of\b|cuánto (?:espacio|ocupan?|pesan?)|combien (?:d['’]espace|de place|pèsent)|wie ?viel (?:platz|speicher)/iu,
  count: /\bhow many\b|\bcount\b|cuánt[oa]s|combien (?:de|d['’])(?! ?(?:place|espace))|wie ?viele/iu,
  find: /(?<!\p{L})(?:mention(?:s|ing|ed)?|about|contain(?:s|ing)?|that say|talk(?:s|ing)? about|showing|shows?(?= (?:an? |the ))|mencionan?|hablan? de|sobre|contienen?|donde sale|mentionnent?|parlent? (?:de|d['’])|contiennent|contient|erwähnen|erwähnt|enthalten|enthält|handeln von|handelt von|über|zeigen)(?!\p{L})/iu,
}

/** Openings of a search request, followed by its topic. */
export const seekWords: RegExp =
  /^\s*(?:please\s+|por favor,?\s+|bitte\s+)?(?:find|search(?:\s+for)?|look\s+for|where\s+(?:is|are)|busca(?:r|me)?|encuentra|dónde\s+est[áa]n?|¿dónde\s+est[áa]n?|(?:re)?cherche[rz]?|trouve[rz]?|où\s+(?:est|sont)|finde|such(?:e|en)?(?:\s+nach)?|wo\s+(?:ist|sind))\s+(?:me\s+|mir\s+|moi\s+)?/iu

/** Words between a type of item and its content: "pictures of a dog". */
export const ofWords: RegExp =
  /^\s*(?:of|with|from|about|showing|mentioning|de|del|con|sobre|d['’]|avec|sur|von|vom|mit|über)(?!\p{L})\s*/iu

export const listWords: RegExp =
  /(?<!\p{L})(?:last|latest|newest|recent|most recent|oldest|first|largest|biggest|longest|show|list|which|what|últim[oa]s?|recientes?|antigu[oa]s|grandes|muestra|muéstrame|lista|cuáles|qué|derniers?|dernières?|récente?s?|anciens?|montre|affiche|liste|quels?|quelles?|letzten?|neuesten?|ältesten?|größten?|zeige?|welche)(?!\p{L})/iu
export const ownWords: RegExp =
  /(?<!\p{L})(?:my|mine|mis?|mes|mon|ma|meine?[rn]?|i have|tengo|ai-je|habe ich)(?!\p{L})/iu

export const sortWords: readonly [MediaSort, RegExp][] = [
  ['oldest', /(?<!\p{L})(?:oldest|first|más antigu|primer|plus ancien|premi|ältest|erste)/iu],
  ['largest', /(?<!\p{L})(?:largest|biggest|más grandes|plus gro|größt)/iu],
  ['longest', /(?<!\p{L})(?:longest|más larg|plus long|längst)/iu],
]

export const numberWords: readonly RegExp[] = [
  /(?<!\p{L})(?:one|un[oa]?|une?|eine?[nrs]?)(?!\p{L})/iu,
  /(?<!\p{L})(?:two|dos|deux|zwei)(?!\p{L})/iu,
  /(?<!\p{L})(?:three|tres|trois|drei)(?!\p{L})/iu,
  /(?<!\p{L})(?:four|cuatro|quatre|vier)(?!\p{L})/iu,
  /(?<!\p{L})(?:five|cinco|cinq|fünf)(?!\p{L})/iu,
  /(?<!\p{L})(?:six|seis|sechs)(?!\p{L})/iu,
  /(?<!\p{L})(?:seven|siete|sept|sieben)(?!\p{L})/iu,
  /(?<!\p{L})(?:eight|ocho|huit|acht)(?!\p{L})/iu,
  /(?<!\p{L})(?:nine|nueve|neuf|neun)(?!\p{L})/iu,
  /(?<!\p{L})(?:ten|diez|dix|zehn)(?!\p{L})/iu,
]

export const tagPattern: RegExp =
  /(?:tagged|with (?:the )?tag|etiquetad[oa]s (?:como|con)|con la etiqueta|étiquetée?s|avec l['’]étiquette|mit (?:dem )?(?:tag|schlagwort))\s+["“«„']?([^"”»“'?.!]{1,50})/iu

/** Days that are named by their distance: how many days before today they begin, and how many they are. */
export const relativeDays: readonly [
  RegExp,
  'today' | 'yesterday' | 'week' | 'month' | 'year' | 'this-month' | 'this-year',
][] = [
  [/(?<!\p{L})(?:today|hoy|aujourd['’]hui|heute)(?!\p{L})/iu, 'today'],
  [/(?<!\p{L})(?:yesterday|ayer|hier|gestern)(?!\p{L})/iu, 'yesterday'],
  [/(?<!\p{L})(?:last week|la semana pasada|la semaine dernière|letzte[rn]? woche)(?!\p{L})/iu, 'week'],
  [/(?<!\p{L})(?:last month|el mes pasado|le mois dernier|letzte[nm] monat)(?!\p{L})/iu, 'month'],
  [/(?<!\p{L})(?:last year|el año pasado|l['’]année dernière|l['’]an dernier|letzte[sn]? jahr)(?!\p{L})/iu, 'year'],
  [/(?<!\p{L})(?:this month|este mes|ce mois(?:-ci)?|diesen monat)(?!\p{L})/iu, 'this-month'],
  [/(?<!\p{L})(?:this year|este año|cette année|dieses jahr)(?!\p{L})/iu, 'this-year'],
]
