import type { MediaType } from '@mira/shared'
import type { PhraseLanguage } from './time-words.ts'

/** Mention of one or more types of items in a text. */
export interface KindPhrase {
  /** Range in the text: `begin` is inclusive, `end` exclusive. */
  begin: number
  end: number
  mediaTypes: MediaType[]
}

/** Words of a language for types of items, as sources of regular expressions of whole words. */
interface KindWords {
  nouns: readonly (readonly [mediaTypes: MediaType[], source: string])[]
  and: string
  /** Words before a noun that belong to the phrase: "in my". */
  leading: string
  /** Allowed words before a noun that names a type; null allows any that `mayNotPrecede` doesn't exclude. */
  mayPrecede: RegExp | null
  mayNotPrecede: RegExp
  /** Allowed words after a noun, in addition to the end of the text, punctuation or a time. */
  mayFollow: string
  /** Allowed words after several nouns or a plural. */
  mayFollowSeveral: string
}

const words: Readonly<Record<PhraseLanguage, KindWords>> = {
  en: {
    nouns: [
      [['video'], '(?:video|screen) recordings?|video ?clips?|videos?|clips?|films?|movies?|footage'],
      [
        ['audio'],
        '(?:audio|voice|sound|phone) (?:memos?|notes?|messages?|recordings?|files?)|recordings?|voicemails?|audios?|podcasts?|dictations?',
      ],
      [['image'], 'photos?|photographs?|pictures?|pics?|images?|screenshots?|screen shots?|snapshots?|selfies?'],
      [['document', 'image'], 'scans?'],
      [['document'], 'documents?|docs|pdfs?|pdf (?:files?|documents?)|papers|paperwork'],
    ],
    and: '(?:and|or|&)',
    leading:
      '(?:(?:in|on|from|inside|among|through|within)\\s+)?(?:(?:any|all|some|one|each|every)\\s+(?:of\\s+)?)?(?:(?:the|a|an|my|our|his|her|their|your|which|what|any|some|all|every|this|that|these|those)\\s+)?(?:(?:old|new|recent|latest|uploaded|saved)\\s+)?',
    mayPrecede: null,
    mayNotPrecede:
      /(?:^|\s)(?:to|i|we|you|they|he|she|can|could|must|should|will|would|may|did|do|does|please|paper|hair|big|motion|moving|wall|toilet|news|white|call|scrap|de|du|appareil|papier|jeux?|carte|album|cadre|roman|tarjeta|didn['’]t|don['’]t)\s+$/iu,
    mayFollow:
      'of|from|with|about|where|in|which|that|showing|who|when|taken|made|by|at|on|we|i|mentioning|mentions?|says?|shows?|contains?|has|is|was|were|are|did|does',
    mayFollowSeveral: 'my|the|a|you|he|she|they|have|do|for|to|between|before|after|since|during|and',
  },
  es: {
    nouns: [
      [['video'], '(?:grabaci[oó]n(?:es)?|clips?) de (?:v[ií]deo|pantalla)|v[ií]deos?|pel[ií]culas?|clips?'],
      [
        ['audio'],
        '(?:notas?|mensajes?|memos?) de (?:voz|audio)|grabaci[oó]n(?:es)?(?: de (?:voz|audio))?|audios?|podcasts?',
      ],
      [['image'], 'fotos?|fotograf[ií]as?|im[aá]gen(?:es)?|capturas?(?: de pantalla)?|pantallazos?|selfis?|selfies?'],
      [['document', 'image'], 'escaneos?|documentos? escaneados?'],
      [['document'], 'documentos?|pdfs?|papeles|documentaci[oó]n'],
    ],
    and: '(?:y|e|o|u)',
    leading:
      '(?:(?:en|entre|de|por|dentro\\s+de)\\s+)?(?:(?:tod[oa]s|alg[uú]n|alguna|algun[oa]s|un[oa]\\s+de|cada)\\s+)?(?:(?:el|la|los|las|una?|un[oa]s|mis?|tus?|sus?|nuestr[oa]s?|est[ea]|est[oa]s|es[ea]|es[oa]s|qué|cuál(?:es)?)\\s+)?',
    mayPrecede:
      /(?:^|[^\p{L}\p{N}\s]|(?:^|\s)(?:busca(?:r|me)?|encuentra|muestra|mu[eé]strame|ens[eé][nñ]ame|ver|quiero|dame|hay|tengo|abre|pon|y|o|el|la|los|las|una?|mis?|viej[oa]s|antigu[oa]s|nuev[oa]s|[uú]ltim[oa]s|primer[oa]?s?))\s*$/iu,
    mayNotPrecede: /(?!)/u,
    mayFollow:
      'de|del|en|con|sobre|donde|que|cuando|por|desde|hasta|y|a|al|est[aá]n?|sale[n]?|era|es|dice|menciona|muestra|habla',
    mayFollowSeveral: '\\p{L}+',
  },
  fr: {
    nouns: [
      [['video'], "enregistrements? (?:vid[eé]o|d['’][eé]cran)|vid[eé]os?|films?|clips?"],
      [
        ['audio'],
        'enregistrements?(?: audio| voca(?:l|ux))?|audios?|notes? (?:vocales?|audio)|(?:m[eé]mos?|messages?) voca(?:l|ux)|podcasts?',
      ],
      [['image'], "photos?|photographies?|images?|captures?(?: d['’][eé]cran)?|clich[eé]s?|selfies?"],
      [['document', 'image'], 'scans?|documents? (?:scann[eé]s?|num[eé]ris[eé]s?)'],
      [['document'], 'documents?|pdfs?|papiers|paperasse'],
    ],
    and: '(?:et|ou)',
    leading:
      "(?:(?:dans|sur|parmi|de|depuis)\\s+)?(?:(?:toute?s|tous|une?\\s+de|chaque|quelques)\\s+)?(?:(?:le|la|les|une?|des|du|mes|mon|ma|tes|ton|ta|ses|son|sa|nos|notre|vos|votre|ces?|cette|quelle?s?)\\s+|l['’])?(?:(?:belles?|vieilles?|vieux|anciens?|anciennes?|derniers?|derni[eè]res?|nouvelles?|nouveaux|jolies?|petite?s?)\\s+)?",
    mayPrecede:
      /(?:^|[^\p{L}\p{N}\s]|(?:^|\s)(?:cherche[rz]?|trouve[rz]?|montre(?:-moi)?|affiche|voir|veux|ai|et|ou|moi|le|la|les|une?|des|mes|mon|ma))\s*$/iu,
    mayNotPrecede: /(?!)/u,
    mayFollow:
      "de|du|des|d['’]\\p{L}+|en|au|aux|à|avec|sur|où|o[uù]|qui|que|qu['’]\\p{L}+|quand|pendant|depuis|prises?|et|dans|est|sont|parle|montre|mentionne|par|pour",
    mayFollowSeveral: '\\p{L}+',
  },
  de: {
    nouns: [
      [['video'], '(?:video|bildschirm|film)aufnahmen?|videos?|video-?clips?|clips?|filme?n?'],
      [
        ['audio'],
        'sprach(?:notiz(?:en)?|memos?|nachricht(?:en)?|aufnahmen?)|(?:ton|audio)aufnahmen?|aufnahmen?|mitschnitte?n?|aufzeichnung(?:en)?|audios?|podcasts?',
      ],
      [['image'], 'fotos?|bildern?|bild|fotografien?|bildschirmfotos?|screenshots?|schnappsch[uü]sse?n?|selfies?'],
      [['document', 'image'], 'scans?'],
      [['document'], 'dokument(?:e|en|es)?|pdfs?|unterlagen|papieren?|schriftst[uü]cken?'],
    ],
    and: '(?:und|oder)',
    leading:
      '(?:(?:in|im|auf|aus|von|vom|unter|bei|zu)\\s+)?(?:(?:alle[nr]?|einige[nr]?|eine[mnrs]?\\s+(?:meiner|der))\\s+)?(?:(?:der|die|das|den|dem|des|ein|eine[mnrs]?|mein|meine[mnrs]?|dein|deine[mnrs]?|unser|unsere[mnrs]?|diese[mnrs]?|jene[mnrs]?|welche[mnrs]?)\\s+)?(?:(?:alte|neue|letzte)[mnrs]?\\s+)?',
    mayPrecede:
      /(?:^|[^\p{L}\p{N}\s]|(?:^|\s)(?:\p{Ll}+|Zeig|Zeige|Finde|Such|Suche|Welche[rs]?|Die|Das|Der|Alle|Meine?))\s*$/u,
    mayNotPrecede: /(?:^|\s)(?:ich|du|er|sie|es|wir|ihr|de)\s+$/iu,
    mayFollow:
      'von|vom|aus|mit|[uü]ber|zum|zur|wo|wie|in|im|auf|an|am|bei|ist|war|waren|sind|und|hat|haben|die|der|das|den|zeigt|erw[aä]hnt|sagt',
    mayFollowSeveral: '\\p{Ll}+',
  },
}

/** Words for items with a capture date, beside which a year is a time: "photos Italy 2019", but not "invoice 2019". */
export const PICTURES = new RegExp(
  `(?<!\\p{L})(?:${Object.values(words)
    .flatMap(({ nouns }) => nouns)
    .flatMap(([[type], source]) => (type === 'image' || type === 'video' ? source.replace(/ /g, '\\s+') : []))
    .join('|')})(?!\\p{L})`,
  'iu',
)

/** German compound of a subject and a type: "Strandfotos". The subject remains to be searched for. */
const germanCompound =
  /(?<![\p{L}\p{N}])(?!(?:vor|leit|welt|schau|stern|feind|spiegel|eben|krankheits|menschen|selbst|schrift|passe?)(?:bild|video))(\p{L}{3,}?)(fotos?|bildern?|videos?|screenshots?|aufzeichnung(?:en)?|filme?n?)(?![\p{L}\p{N}])/giu
const compoundKinds: readonly (readonly [RegExp, MediaType])[] = [
  [/^(?:foto|bild|screenshot)/iu, 'image'],
  [/^(?:video|film)/iu, 'video'],
  [/^aufzeichnung/iu, 'audio'],
]

const PHRASE_END = '\\s*$|\\s*[^\\p{L}\\p{N}\\s]'

const grammars = Object.values(words).map((language) => {
  const noun = language.nouns.map(([, source]) => source.replace(/ /g, '\\s+')).join('|')
  return {
    ...language,
    noun: new RegExp(`(?<first>${noun})(?:\\s*(?:,|${language.and})\\s+(?<second>${noun}))?(?![\\p{L}\\p{N}-])`, 'iuy'),
    leading: new RegExp(language.leading, 'iuy'),
    follow: new RegExp(`^(?:${PHRASE_END}|\\s+(?:${language.mayFollow})(?![\\p{L}\\p{N}]))`, 'iu'),
    followSeveral: new RegExp(`^\\s+(?:${language.mayFollowSeveral})(?![\\p{L}\\p{N}])`, 'u'),
    typesOf: (text: string): MediaType[] =>
      language.nouns.find(([, source]) => new RegExp(`^(?:${source.replace(/ /g, '\\s+')})$`, 'iu').test(text))?.[0] ??
      [],
  }
})
type Grammar = (typeof grammars)[number]

/**
 * Types of items that a text mentions, without overlaps: "in my videos", but not "video card" and not "to film".
 * Phrases to skip, such as times, are replaced beforehand by characters that are neither letters nor spaces.
 */
export function readKinds(text: string): KindPhrase[] {
  const phrases: KindPhrase[] = []
  const starts = /(?<![\p{L}\p{N}-])[\p{L}\p{N}]/gu
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    const [longest] = grammars
      .flatMap((grammar) => kindAt(text, start.index, grammar) ?? [])
      .sort((one, other) => other.end - one.end)
    if (longest === undefined) continue
    phrases.push(longest)
    starts.lastIndex = longest.end
  }
  return [...phrases, ...germanCompounds(text, phrases)].sort((one, other) => one.begin - other.begin)
}

function kindAt(text: string, begin: number, grammar: Grammar): KindPhrase | null {
  grammar.leading.lastIndex = begin
  const leading = grammar.leading.exec(text)?.[0] ?? ''
  grammar.noun.lastIndex = begin + leading.length
  const match = grammar.noun.exec(text)
  if (match === null) return null
  const end = grammar.noun.lastIndex
  const { first = '', second } = match.groups ?? {}
  const before = text.slice(0, begin)
  // "álbum de fotos", "album de photos": a kind of album, not photos
  if (/^de\s+$/iu.test(leading) || grammar.mayNotPrecede.test(before)) return null
  if (leading === '' && grammar.mayPrecede !== null && !grammar.mayPrecede.test(before)) return null
  const rest = text.slice(end)
  const isSeveral = second !== undefined || /(?:s|n|er|x)$/iu.test(first)
  if (!grammar.follow.test(rest) && !(isSeveral && grammar.followSeveral.test(rest))) return null
  return { begin, end, mediaTypes: [...new Set([...grammar.typesOf(first), ...grammar.typesOf(second ?? '')])] }
}

function germanCompounds(text: string, phrases: KindPhrase[]): KindPhrase[] {
  return [...text.matchAll(germanCompound)].flatMap((match) => {
    const begin = match.index + (match[1]?.length ?? 0)
    const end = match.index + match[0].length
    const type = compoundKinds.find(([pattern]) => pattern.test(match[2] ?? ''))?.[1]
    const isOverlapping = phrases.some((phrase) => phrase.begin < end && match.index < phrase.end)
    return type === undefined || isOverlapping ? [] : [{ begin, end, mediaTypes: [type] }]
  })
}
