import type { MediaSort, MediaType } from '@mira/shared'
import type { AgentLanguage } from '../agent-kind.ts'

type ByLanguage<T> = Readonly<Record<AgentLanguage, T>>

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

/** What a question wants to know. */
export const wishWords: Readonly<Record<'size' | 'count' | 'find', RegExp>> = {
  size: /how much (?:space|storage|room)|take up|\bsize of\b|cuánto (?:espacio|ocupan?|pesan?)|combien (?:d['’]espace|de place|pèsent)|wie ?viel (?:platz|speicher)/iu,
  count: /\bhow many\b|\bcount\b|cuánt[oa]s|combien (?:de|d['’])(?! ?(?:place|espace))|wie ?viele/iu,
  find: /(?<!\p{L})(?:mention(?:s|ing|ed)?|about|contain(?:s|ing)?|that say|talk(?:s|ing)? about|showing|shows?(?= (?:an? |the ))|mencionan?|hablan? de|sobre|contienen?|donde sale|mentionnent?|parlent? (?:de|d['’])|contiennent|contient|erwähnen|erwähnt|enthalten|enthält|handeln von|handelt von|über|zeigen)(?!\p{L})/iu,
}

/** How a sentence begins that has something looked for: what follows is looked for. */
export const seekWords: RegExp =
  /^\s*(?:please\s+|por favor,?\s+|bitte\s+)?(?:find|search(?:\s+for)?|look\s+for|where\s+(?:is|are)|busca(?:r|me)?|encuentra|dónde\s+est[áa]n?|¿dónde\s+est[áa]n?|(?:re)?cherche[rz]?|trouve[rz]?|où\s+(?:est|sont)|finde|such(?:e|en)?(?:\s+nach)?|wo\s+(?:ist|sind))\s+(?:me\s+|mir\s+|moi\s+)?/iu

/** What joins a kind of thing to what it shows or says: "pictures of a dog". */
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

/** What the agent says. */
export interface FileTexts {
  notUnderstood: string
  notAllowed: string
  nothing: string
  nothingAbout(topic: string): string
  listed(count: number, total: number): string
  found(count: number, topic: string): string
  space(what: string, count: number, bytes: string): string
  counted(what: string, count: number): string
  types: Record<MediaType | 'any', [one: string, several: string]>
}

export const fileTexts: ByLanguage<FileTexts> = {
  en: {
    notUnderstood:
      'Ask about what you have added, such as “the last three PDFs”, “which films mention a lighthouse” or “how much space do my videos take”.',
    notAllowed: 'Your account does not have permission to use the memory. An administrator can allow uploads.',
    nothing: 'There is nothing like that in your memory.',
    nothingAbout: (topic) => `Nothing in your memory is about “${topic}”.`,
    listed: (count, total) => (total > count ? `${count} of ${total}:` : `${count} found:`),
    found: (count, topic) => `${count} ${count === 1 ? 'place' : 'places'} about “${topic}”:`,
    space: (what, count, bytes) => `**${bytes}** – ${count} ${what}.`,
    counted: (what, count) => `**${count}** ${what}.`,
    types: {
      image: ['picture', 'pictures'],
      video: ['video', 'videos'],
      audio: ['recording', 'recordings'],
      document: ['document', 'documents'],
      any: ['file', 'files'],
    },
  },
  es: {
    notUnderstood:
      'Pregunta por lo que has añadido: «los últimos tres PDF», «qué películas mencionan un faro» o «cuánto espacio ocupan mis vídeos».',
    notAllowed: 'Tu cuenta no tiene permiso para usar la memoria. Un administrador puede permitir las subidas.',
    nothing: 'No hay nada así en tu memoria.',
    nothingAbout: (topic) => `Nada en tu memoria trata de «${topic}».`,
    listed: (count, total) => (total > count ? `${count} de ${total}:` : `Encontrados: ${count}`),
    found: (count, topic) => `${count} ${count === 1 ? 'lugar' : 'lugares'} sobre «${topic}»:`,
    space: (what, count, bytes) => `**${bytes}** – ${count} ${what}.`,
    counted: (what, count) => `**${count}** ${what}.`,
    types: {
      image: ['imagen', 'imágenes'],
      video: ['vídeo', 'vídeos'],
      audio: ['grabación', 'grabaciones'],
      document: ['documento', 'documentos'],
      any: ['archivo', 'archivos'],
    },
  },
  fr: {
    notUnderstood:
      'Demandez ce que vous avez ajouté : « les trois derniers PDF », « quels films mentionnent un phare » ou « combien de place prennent mes vidéos ».',
    notAllowed:
      'Votre compte n’a pas l’autorisation d’utiliser la mémoire. Un administrateur peut autoriser les envois.',
    nothing: 'Il n’y a rien de tel dans votre mémoire.',
    nothingAbout: (topic) => `Rien dans votre mémoire ne parle de « ${topic} ».`,
    listed: (count, total) => (total > count ? `${count} sur ${total} :` : `Trouvés : ${count}`),
    found: (count, topic) => `${count} ${count === 1 ? 'endroit' : 'endroits'} sur « ${topic} » :`,
    space: (what, count, bytes) => `**${bytes}** – ${count} ${what}.`,
    counted: (what, count) => `**${count}** ${what}.`,
    types: {
      image: ['image', 'images'],
      video: ['vidéo', 'vidéos'],
      audio: ['enregistrement', 'enregistrements'],
      document: ['document', 'documents'],
      any: ['fichier', 'fichiers'],
    },
  },
  de: {
    notUnderstood:
      'Frag nach dem, was du hinzugefügt hast, etwa „die letzten drei PDFs“, „welche Filme erwähnen einen Leuchtturm“ oder „wie viel Platz brauchen meine Videos“.',
    notAllowed: 'Dein Konto darf das Gedächtnis nicht benutzen. Ein Administrator kann das Hochladen erlauben.',
    nothing: 'So etwas ist nicht in deinem Gedächtnis.',
    nothingAbout: (topic) => `Nichts in deinem Gedächtnis handelt von „${topic}“.`,
    listed: (count, total) => (total > count ? `${count} von ${total}:` : `${count} gefunden:`),
    found: (count, topic) => `${count} ${count === 1 ? 'Stelle' : 'Stellen'} zu „${topic}“:`,
    space: (what, count, bytes) => `**${bytes}** – ${count} ${what}.`,
    counted: (what, count) => `**${count}** ${what}.`,
    types: {
      image: ['Bild', 'Bilder'],
      video: ['Video', 'Videos'],
      audio: ['Aufnahme', 'Aufnahmen'],
      document: ['Dokument', 'Dokumente'],
      any: ['Datei', 'Dateien'],
    },
  },
}
