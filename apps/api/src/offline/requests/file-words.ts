import type { FileFormat, MediaSort, MediaType } from '@mira/shared'

// Words of questions about the library, in all four languages together: a sentence may be too short to tell its language.

const words = (text: string) => new Set(text.split(/\s+/))
/** An expression for whole words. */
const whole = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, 'iu')

/** A noun for items of the library. */
export interface FileNoun {
  /** Null for any. */
  type: MediaType | null
  formats?: readonly FileFormat[]
  /** True when the noun is looked for, too: only its words tell a screenshot from another picture. */
  isTopic?: boolean
  /** True when items of any type are searched for a topic: a note may also be a picture or a recording. */
  isLoose?: boolean
  pattern: RegExp
}

/** A format's name, alone or beside a word for files: "PDFs", "Word-Dateien", "fichiers PDF". */
const withFiles = (name: string) =>
  `${name}(?:[- ]?(?:files?|documents?|docs?|datei(?:en)?|dokumente?n?))?|(?:files?|documents?|archivos?|documentos?|fichiers?|hojas?) (?:en |de )?${name}`

/** Nouns, the more exact ones first; the last one only counts where there is no other. */
export const fileNouns: readonly FileNoun[] = [
  { type: 'document', formats: ['pdf'], pattern: whole(withFiles('pdfs?')) },
  { type: 'document', formats: ['docx', 'doc', 'odt'], pattern: whole(`${withFiles('word')}|docx`) },
  {
    type: 'document',
    formats: ['xlsx', 'xls', 'ods', 'csv'],
    pattern: whole(
      `${withFiles('excel')}|spreadsheets?|xlsx|excel-?tabellen?|tabellenkalkulation(?:en)?|hojas? de c[aá]lculo|feuilles? de calcul|tableurs?`,
    ),
  },
  {
    type: 'document',
    formats: ['pptx', 'ppt', 'odp'],
    pattern: whole(
      `${withFiles('powerpoint')}|powerpoints|presentations?|slide ?decks?|pptx|präsentation(?:en)?|présentations?|diaporamas?|presentaci[oó]n(?:es)?`,
    ),
  },
  {
    type: 'audio',
    pattern: whole(
      'audios?(?: files?)?|(?:fichiers?|archivos?) (?:de )?audio|(?:(?:voice|audio|sound) )?recordings?|(?:voice|audio) (?:memos?|notes?|messages?)|songs?|music|(?:notas? de voz|grabaci[oó]n(?:es)?|canci[oó]n(?:es)?|música)|notes? vocales?|mémos? voca(?:l|ux)|enregistrements?|chansons?|musique|(?:ton|sprach|audio)aufnahmen?|sprach(?:notiz(?:en)?|memos?)|aufnahmen?|audiodatei(?:en)?|lieder|musik',
    ),
  },
  {
    type: 'video',
    pattern: whole('videos?|vídeos?|vidéos?|films?|filmen|filme|movies?|clips?|películas?|videoaufnahmen?'),
  },
  {
    type: 'image',
    isTopic: true,
    pattern: whole(
      "screenshots?|screen shots?|selfies?|bildschirmfotos?|capturas? de pantalla|pantallazos?|captures? d['’]écran",
    ),
  },
  {
    type: 'image',
    pattern: whole(
      'pictures?|photos?|photographs?|images?|pics|fotos?|fotograf[ií]as?|im[aá]gen(?:es)?|photographies?|fotografien?|bildern?|bild',
    ),
  },
  { type: 'document', pattern: whole('documents?|docs|documentos?|dokumenten?|dokumente?') },
  { type: 'document', formats: ['txt', 'enex'], isLoose: true, pattern: whole('notes?|notas?|notiz(?:en)?') },
  { type: null, pattern: whole('files?|items?|uploads?|memory|archivos?|ficheros?|elementos?|memoria|fichiers?') },
  { type: null, pattern: whole('éléments?|mémoire|datei(?:en)?|gedächtnis') },
  {
    type: null,
    pattern: whole(
      'upload|uploaded|library|sub[íi]|subid[oa]s?|añadí|añadido|biblioteca|(?:ajout|import|envoy|télévers)ée?s?|envois|bibliothèque|hochgeladene?[nrs]?|hochgeladen|bibliothek',
    ),
  },
]

/** German compounds of a subject and a type: "Strandfotos", but not "Vorbild". */
export const compoundNoun: RegExp =
  /(?<![\p{L}\p{N}])(?!(?:vor|leit|welt|schau|stern|feind|spiegel|eben|krankheits|menschen|selbst|schrift|passe?|lebens|feed)(?:bild|video))(?<subject>\p{L}{3,}?)(?<noun>fotos?|bilder|bildern|videos?|filme)(?![\p{L}\p{N}])/iu
/** The "s" that joins a subject to a noun: "Hochzeitsfotos", "Urlaubsbilder". */
export const joiningLetter: RegExp = /(?<=heit|keit|ung|ion|schaft|tag|zeit|ling|laub|nacht|arbeit|ing)s$/iu

/** One of a type. */
export const singularNoun: RegExp = whole(
  'picture|photo|image|screenshot|video|film|movie|clip|recording|song|document|pdf|note|file|item|foto|imagen|vídeo|película|grabación|documento|nota|archivo|fichero|vidéo|enregistrement|fichier|bild|aufnahme|dokument|notiz|datei',
)

/** Greetings and courtesies before a request. */
export const courtesy: RegExp =
  /^(?:[\s¿¡"„“«]|(?:hey|hi|hello|ok|okay|please|could you(?: please)?|can you(?: please)?|would you(?: please)?|bitte|hallo|kannst du(?: mir)?|könntest du(?: mir)?|por favor|hola|puedes|podrías|bonjour|salut|peux-tu|pouvez-vous|pourrais-tu|s['’]il (?:te|vous) pla[iî]t)(?!\p{L}),?)+/iu

/** Sentences that name files and ask for something else: to change them, or how something is done. */
export const otherWishes: RegExp =
  /^(?:(?:can|could|should|would|will|must|may|does|did|is|are)(?! there)|puis-je|peut-on|puedo|se puede|kann|darf|soll\p{L}*|how (?:do|does|can|could|should|would|to|come|is|are|did|long)|wh(?:at is|at['’]s) an?|was ist eine?|qué es una?|qu['’]est-ce qu['’]une?|cuánto tiempo|combien de temps|why|who|when|wie(?! ?(?:viele?|groß)(?!\p{L}))|warum|wer|wann|cómo(?! de grande)|por qu[eé]|qui[eé]n|comment|pourquoi|qui|tell|write|explain|read|play|pause|stop|skip|next|take|compose|sing|recommend|suggest|help|delete|remove|erase|edit|crop|resize|rotate|rename|move|copy|send|share|email|e-?mail|print|organi[sz]e|sort|tidy|clean|upload|make|create|generate|draw|paint|design|apply|convert|compress|merge|combine|summari[sz]e|analy[sz]e|translate|describe|compare|add|tag|turn|remind|restore|backup|back up|import|export|spiel\p{L}*|nimm|lies|komponier\p{L}*|empfiehl|hilf|lösch\p{L}*|entfern\p{L}*|bearbeit\p{L}*|verschieb\p{L}*|kopier\p{L}*|sende?|schick\p{L}*|teile?|druck\p{L}*|sortier\p{L}*|erstell\p{L}*|mach\p{L}*|fass\p{L}*|analysier\p{L}*|übersetz\p{L}*|beschreib\p{L}*|erklär\p{L}*|vergleich\p{L}*|schreib\p{L}*|lade|pon|ponme|toca|lee|compón|recomienda\p{L}*|ayúda\p{L}*|borra\p{L}*|elimina\p{L}*|edita\p{L}*|recorta\p{L}*|mueve|copia|env[ií]a\p{L}*|comparte|imprime|ordena|organiza|sube|crea|haz|genera|dibuja|resume|resumir?|analiza|traduce|describe|explica|compara|escribe|recuérdame|mets|joue\p{L}*|lis|recommande\p{L}*|aide\p{L}*|supprime\p{L}*|efface\p{L}*|modifie\p{L}*|édite\p{L}*|déplace\p{L}*|copie\p{L}*|envoie\p{L}*|envoye\p{L}*|partage\p{L}*|imprime\p{L}*|trie|range|organise\p{L}*|crée\p{L}*|fais|génère|dessine|résume\p{L}*|analyse\p{L}*|traduis|décris|explique\p{L}*|écris|rappelle\p{L}*)(?!\p{L})/iu

/** Openings of a search, followed by its topic. */
export const seekWords: RegExp =
  /^(?:find|search(?:\s+for)?|look\s+for|where\s+(?:is|are)|busca(?:r|me)?|encuentra(?:me)?|dónde\s+est[áa]n?|(?:re)?cherche[rz]?|(?:re)?trouve[rz]?|où\s+(?:est|sont)|finde|such(?:e|en)?(?:\s+nach)?|wo\s+(?:ist|sind))(?:\s+me|\s+mir|[\s-]moi)?(?!\p{L})/iu

/** Openings of a request for items, without the search above. */
export const requestWords: RegExp =
  /^(?:(?:show|give|get|let)(?:\s+(?:me|us))?(?:\s+see)?|pull\s+up|bring\s+up|display|list|open|view|see|count|i['’]?m looking for|i\s+(?:am\s+looking\s+for|need|want|['’]d like)(?:\s+to\s+see)?|(?:do|have)\s+(?:i|we)(?:\s+(?:have|got))?|are\s+there|is\s+there|zeige?n?(?:\s+sie)?(?:\s+(?:mir|uns))?(?:\s+bitte)?|gib\s+mir|öffne|liste?|ich\s+(?:brauche|suche|will|möchte)|hast\s+du|gibt\s+es|haben\s+wir|habe?\s+ich|mu[eé]stra(?:me|nos)?|ens[eé][nñ]a(?:me)?|dame|l[ií]sta(?:me)?|abre|quiero(?:\s+ver)?|ver|tengo|tenemos|hay|montre[rz]?(?:[\s-](?:moi|nous))?|affiche[rz]?(?:[\s-]moi)?|liste[rz]?|donne[\s-]moi|ouvre|je\s+(?:cherche|veux|voudrais)(?:\s+voir)?|ai-je|avons-nous|y\s+a-t-il)(?!\p{L})/iu

/** Openings of a question whose subject follows. */
export const questionWords: RegExp =
  /^(?:(?:in|on|auf|sur|dans|en)\s+)?(?:which|what|welche[mnrs]?|lesquels|lesquelles|was|qué|cu[aá]l(?:es)?|quel(?:le)?s?|qu['’]est-ce que|qu['’](?=ai-je|avons-nous))(?:(?<=['’])|(?!\p{L}))/iu

/** Words of sentences that speak of items; a phrase that names them has none: "photos of the beach". */
export const statementWords = words(
  `i you he she we they it is are was were has had will would should ich du er sie wir ihr es ist sind war waren hat hatte yo tú
  él ella somos es está están son era fue je tu il elle nous vous ils est sont était`,
)

/** Words before a noun that say nothing of what is looked for. */
export const plainWords = words(
  `a an the all any some my our me us of which what in on one ones every each i we do does did have has is are there the for to
  your these those that der die das den dem ein eine einen einem einer alle allen alles meine meinen meiner meines mein unsere
  von welche welchen welcher was sind ist gibt es in auf habe haben ich wir nach bitte mal hier el la los las un una unos unas
  todos todas todo mis mi nuestras nuestros de del en qué que cuáles cuál son es hay tengo he hemos le les l un une des du d mes mon ma
  nos tous toutes tout dans sur quels quelles quel quelle sont est ce que j ai ai-je avons-nous lesquels lesquelles please new saved uploaded stored recently
  hochgeladene hochgeladenen gespeicherte gespeicherten`,
)

/** Words that lead from a noun to what is looked for: "of", "taken in", "that mention", "auf denen". */
export const linkWords = words(
  `of with from in on at near around about regarding by where that which who named called titled containing including featuring
  showing mentioning talking saying taken made shot recorded captured added uploaded downloaded modified saved stored created
  edited received anything something related von vom aus mit über zum zur zu im am bei beim auf in wo worauf denen dem die der
  das avec sur dans où qui à au aux de du des d en chez par prise prises pris mentionnant contenant montrant ajoutés ajoutées
  del con sobre donde que conteniendo tomadas hechas llamado llamada`,
)

/** Verbs that lead from a noun to what is looked for: "which films mention". */
export const linkVerbs = words(
  `contain contains include includes feature features show shows mention mentions talk talks say says erwähnen erwähnt enthalten
  enthält zeigen zeigt handeln handelt kommt kommen mentionnent mentionne contiennent contient parlent parle montrent montre
  apparaît voit-on contengan contienen contiene mencionan mencionen menciona hablan habla sale salen aparece aparecen`,
)

/** Words of questions about what must be done, and not about items that are there: "¿qué documentos tengo que llevar?". */
export const mustWords: RegExp = whole(
  'tengo que|tenemos que|hay que|necesit\\p{L}+|(?:have|need|has) to|do i need|besoin|faut|dois-je|puis-je|puedo|brauche ich|brauchen wir|muss ich|kann ich|soll ich',
)

/** Words between a noun and its link that belong to the question: "do I have", "habe ich", "that I took". */
export const askingWords = words(
  `do did does have has had is are was were i we there took take taken made might may could can got uploaded upload download
  modify add save habe haben hab ich wir gibt es ist sind wurden wurde tengo tenemos hay hice subí subido he añadí añadido están son es ai ai-je j
  avons-nous avons nous y a-t-il sont ont été est envoyés envoyées téléversés téléversées gespeichert hochgeladen hinzugefügt`,
)

/** Words that join one with its topic when the question asks for it: "Dokumente für Allianz", "search my notes for". */
export const forWords = words('for für para pour as')

/** Words after a topic that belong to the question. */
export const tailWords = words(
  `do have i we are is there got taken uploaded added saved stored modified made appears appear mentioned please sent me shared
  downloaded library files total habe ich haben wir gibt es gemacht hochgeladen hinzugefügt gespeichert aufgenommen ist sind sein zu
  sehen auf bitte zusammenhängen zusammenhängt im text tengo tenemos hay guardados guardadas cargados cargadas subidos subidas
  ai-je avons-nous y a-t-il prises pris uploadés uploadées ajoutés ajoutées indexés indexées modifiés modifiées archivés
  archivées été ont wurden beinhalten enthalten erwähnt vor total insgesamt envoyés envoyées téléversés téléversées subido añadido`,
)

/** Words that may stand at the end of a topic once a time was taken out: "Paris in". */
export const danglingWords = words(
  'of from in on at during since the and of de del du d en desde el la le les vom von aus im am der dem den des in und seit',
)

export const sortWords: readonly [MediaSort, RegExp][] = [
  [
    'oldest',
    whole(
      'oldest|earliest|first|más antigu\\p{L}+|primer\\p{L}*|plus ancien\\p{L}*|premi\\p{L}+|älteste\\p{L}*|erste[nrs]?',
    ),
  ],
  [
    'largest',
    whole(
      'largest|biggest|heaviest|large|big|huge|más grandes?|más pesad[oa]s?|grandes|plus (?:gro\\p{L}+|lourd\\p{L}*|volumineu\\p{L}+)|größte\\p{L}*|große[nrs]?',
    ),
  ],
  ['longest', whole('longest|más larg[oa]s?|plus long\\p{L}*|längste\\p{L}*')],
  [
    'newest',
    whole(
      '(?:most|more) recent(?:ly)?|last|latest|newest|recent|(?:más )?recientes?|últim[oa]s?|(?:plus )?récente?s?|derni(?:ers?|ères?)|letzte\\p{L}*|neueste\\p{L}*|zuletzt',
    ),
  ],
]

/** Words that belong to an order: "the *most*", "le *plus*". */
export const orderWords = words('most the les le la los las el lo die der das am')

export const numberWords: readonly ReadonlySet<string>[] = [
  words('one'),
  words('two dos deux zwei'),
  words('three tres trois drei'),
  words('four cuatro quatre vier'),
  words('five cinco cinq fünf'),
  words('six seis sechs'),
  words('seven siete sept sieben'),
  words('eight ocho huit acht'),
  words('nine nueve neuf neun'),
  words('ten diez dix zehn'),
]

export const sizeWords: RegExp =
  /how much (?:space|storage|room)|how big (?:is|are) my|take up|\bsize of\b|cuánto (?:espacio|almacenamiento|ocupan?|pesan?)|cómo de grande|combien (?:d['’]espace|de place|de stockage|pèsent)|taille de m|wie ?viel (?:platz|speicher)|wie groß (?:ist|sind) mein/iu
export const countWords: RegExp =
  /^(?:how many|count|number of|zähle?|cuenta|compte[rz]?|cuánt[oa]s|combien (?:de|d['’])(?! ?(?:place|espace|temps|stockage))|wie ?viele)(?!\p{L})/iu
export const ownWords: RegExp = whole(
  "my|mine|mis?|mes|mon|ma|meine?[rnms]?|unsere?|our|i have|(?:have|did|do|am) i|tengo|tenemos|(?:he|hemos) (?:subido|añadido|hecho)|subí|añadí|hice|uso|j['’]utilise|benutze ich|(?:ai|avons)-(?:je|nous)|j['’]ai|habe ich|haben wir|(?:are|is) there|hay|gibt es|y a-t-il|are saved|sont indexés|wurden|ont été",
)

export const tagPattern: RegExp =
  /(?:tagged|with (?:the )?tag|etiquetad[oa]s (?:como|con)|con la etiqueta|étiquetée?s|avec l['’]étiquette|mit (?:dem )?(?:tag|schlagwort))\s+["“«„']?([^"”»“'?.!]{1,50})/iu
