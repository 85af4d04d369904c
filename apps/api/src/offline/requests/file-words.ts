import type { FileFormat, MediaSort, MediaType } from '@mira/shared'

// Words of questions about the library, for all four languages together: short sentences don't reveal their language.

const words = (text: string) => new Set(text.split(/\s+/))
/** Pattern for whole words. */
const whole = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, 'iu')

/** A noun for items of the library. */
export interface FileNoun {
  /** Null for any. */
  type: MediaType | null
  formats?: readonly FileFormat[]
  /** True when the noun is also searched for: only its text tells a screenshot from another picture. */
  isTopic?: boolean
  /** True when items of any type are searched for a topic: a note may also be a picture or a recording. */
  matchesAnyType?: boolean
  pattern: RegExp
}

/** A format's name, alone or with a word for files: "PDFs", "Word-Dateien", "fichiers PDF". */
const withFiles = (name: string) =>
  `${name}(?:[- ]?(?:files?|documents?|docs?|datei(?:en)?|dokumente?n?))?|(?:files?|documents?|archivos?|documentos?|fichiers?|hojas?) (?:en |de )?${name}`

/** Nouns, more specific ones first; the last one counts only without any other. */
export const fileNouns: readonly FileNoun[] = [
  { type: 'document', formats: ['pdf'], pattern: whole(withFiles('pdfs?')) },
  { type: 'document', formats: ['docx', 'doc', 'odt'], pattern: whole(`${withFiles('word')}|docx`) },
  {
    type: 'document',
    formats: ['xlsx', 'xls', 'ods', 'csv'],
    pattern: whole(
      `excel-?tabellen?|${withFiles('excel')}|spreadsheets?|xlsx|tabellenkalkulation(?:en)?|hojas? de c[aá]lculo|feuilles? de calcul|tableurs?`,
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
      'audios?(?: files?)?|(?:fichiers?|archivos?) (?:de )?audio|(?:(?:voice|audio|sound) )?recordings?|(?:voice|audio) (?:memos?|notes?|messages?)|songs?|music(?: files?)?|(?:notas? de voz|grabaci[oó]n(?:es)?|canci[oó]n(?:es)?|música)|notes? vocales?|mémos? voca(?:l|ux)|enregistrements?|chansons?|musique|(?:ton|sprach|audio)aufnahmen?|sprach(?:notiz(?:en)?|memos?)|aufnahmen?|audiodatei(?:en)?|lieder|musik',
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
  { type: 'document', formats: ['txt', 'enex'], matchesAnyType: true, pattern: whole('notes?|notas?|notiz(?:en)?') },
  { type: null, pattern: whole('files?|items?|uploads|memory|archivos?|ficheros?|elementos?|memoria|fichiers?') },
  { type: null, pattern: whole('éléments?|mémoire|datei(?:en)?|gedächtnis') },
  {
    type: null,
    pattern: whole(
      'upload|uploaded|library|sub[íi]|subid[oa]s?|añadí|añadido|biblioteca|(?:ajout|import|envoy|télévers)ée?s?|envois|bibliothèque|hochgeladene?[nrs]?|hochgeladen|bibliothek',
    ),
  },
]

/** Verbs that always mean adding items. */
export const uploadVerbs: RegExp = whole(
  'uploaded|(?:i|we)(?: (?:have|just))? upload|subid[oa]s?|(?:télévers|upload)ée?s?|hochgeladene?[nrs]?',
)
/** Verbs that mean adding items unless a topic is named: "value added tax", "the cat we saved". */
export const addingVerbs: RegExp = whole(
  'added|imported|saved|(?:i|we)(?: (?:have|just))? (?:add|import|save)|subí|subimos|añadí|añadimos|añadid[oa]s?|agregué|agregad[oa]s?|importé|importad[oa]s?|guardé|guardad[oa]s?|(?:ajout|import)ée?s?|hinzugefügte?[nrs]?|importierte?[nrs]?|gespeicherte?[nrs]?',
)

/** German compounds of a subject and a type: "Strandfotos", but not "Vorbild". */
export const compoundNoun: RegExp =
  /(?<![\p{L}\p{N}])(?!bildschirmfotos?|(?:vor|leit|welt|schau|stern|feind|spiegel|eben|krankheits|menschen|selbst|schrift|passe?|lebens|feed)(?:bild|video))(?<subject>\p{L}{3,}?)(?<noun>fotos?|bilder|bildern|videos?|filme)(?![\p{L}\p{N}])/iu
/** The "s" that joins a subject to a noun: "Hochzeitsfotos", "Urlaubsbilder". */
export const joiningLetter: RegExp = /(?<=heit|keit|ung|ion|schaft|tag|zeit|ling|laub|nacht|arbeit|ing)s$/iu

/** Nouns in the singular. */
export const singularNoun: RegExp = whole(
  'picture|photo|image|screenshot|video|film|movie|clip|recording|song|document|pdf|note|file|item|foto|imagen|vídeo|película|grabación|documento|nota|archivo|fichero|vidéo|enregistrement|fichier|bild|aufnahme|dokument|notiz|datei',
)

/** Greetings and courtesies before a request. */
export const courtesy: RegExp =
  /^(?:[\s,.!¿¡"„“«]|(?:hey|hi|hello|ok|okay|mira|(?:could|can|would|will) you|(?:can|could|may) (?:i|we)(?= (?:see|view))|kann ich(?= .* sehen)|hallo|(?:kannst|könntest|würdest) du(?: (?:mir|uns))?|können sie(?: (?:mir|uns))?|hola|(?:me |nos )?(?:puedes|podrías)(?: (?:traer|dar|pasar|recuperar|contar(?=me|nos)|sacar(?!(?:me|nos)? una? )|decir|mandar)(?:me|nos)?(?!\p{L}))?|bonjour|salut|est-ce que(?: (?:tu peux|vous pouvez)(?: (?:me|nous))?)?|est-ce qu['’]il y a|(?:(?:peux|pourrais)-tu|pouvez-vous|tu peux)(?: (?:me|nous))?(?: (?:donner|récupérer|remontrer|(?:res)?sortir|faire voir|dire)(?!\p{L}))?)(?!\p{L}))+/iu
export const pleases: RegExp = /(?<!\p{L})(?:please|bitte|por favor|s['’]il (?:te|vous) pla[iî]t)(?!\p{L})/giu
/** Openings that continue a conversation: "and the videos?", "more photos of Anna". */
export const continuing: RegExp =
  /^(?:[\s,]|(?:and|und|y(?! a-t-il)|et|no|nein|non|now|jetzt|ahora|maintenant|only|just|nur|s[oó]lo|seulement|(?:noch )?(?:more|mehr|andere|otras|otros)(?! recent)|noch|más(?! (?:reciente|antigu|grande|larg|pesad))|plus de|d['’]autres)(?!\p{L}))+/iu
/** Verbs for showing, such as "zeigen", at the end of a German request. */
export const showingVerbs: RegExp =
  /(?<!\p{L})(?:an|heraus|raus)?(?:zeigen|geben|finden|suchen|sehen|schauen|haben)[\s.!?]*$/iu
/** Openings of German requests that end with a verb. */
export const germanRequestOpening: RegExp =
  /^[\s\p{P}]*(?:\p{L}+,? )?(?:(?:kannst|könntest|würdest) du|können sie|ich (?:will|möchte|muss|würde))(?!\p{L})/iu

/** Sentences that name files but ask for something else: to change them, or how to do something. */
export const otherActions: RegExp =
  /^(?:(?:can|could|should|would|will|must|may|does|did|is|are)(?! (?:there|any)(?!\p{L})|(?<=did) (?:i|we) (?:upload|take|record|save|add)(?!\p{L}))|(?:i (?:want|need|would like|have) to|i['’]d (?:like|love) to|let (?:me|us))(?! (?:see|find|view|look|get|have)(?!\p{L}))|is there a way|set|save|store|speicher\p{L}*|guarda\p{L}*|enregistre[rz]?|(?:quiero|quisiera|necesito|me gustaría) (?!ver|buscar|encontrar|mirar)\p{L}+[aei]r(?:l[oae]s?|me)?|(?:je (?:veux|voudrais|dois)|j['’]aimerais) (?!voir|revoir|trouver|retrouver|chercher|consulter|afficher)\p{L}+(?:er|ir|re)|(?:show|teach)(?: (?:me|us))? how|zeige?(?: (?:mir|uns))?,? wie|(?:mu[eé]stra|ens[eé][nñ]a)(?:me|nos)? (?:c[oó]mo|a \p{L}+[aei]r)|montre[rz]?(?:[\s-](?:moi|nous))? comment|note (?:that|que|down)|thanks|thank you|danke|gracias|merci|sorry|entschuldig\p{L}+|perdón|pardon|remember|forget|(?:that|it|this)(?:['’]s| is)|(?:das|dies|es) ist|est[eo]? es|c['’]est|j['’]ai (?:perdu|oublié)|añade|apunta|anota|toma|ajoute|prends|notiere?|merke?|füge?|puis-je|peut-on|puedo|se puede|kann|darf|soll\p{L}*|how (?:do|does|can|could|should|would|to|come|is|are|did|long)|wh(?:at is|at['’]s) an?|was ist eine?|qu[ée] es una?|qu['’]est-ce qu['’]une?|cu[áa]nto tiempo|combien de temps|why|who|when|wie(?! ?(?:viele?|groß)(?!\p{L}))|warum|wer|wann|c[óo]mo(?! de grande)|por qu[eé]|qui[eé]n|comment|pourquoi|qui|tell|write|explain|read|play|pause|stop|skip|next|take|compose|sing|recommend|suggest|help|delete|remove|erase|edit|crop|resize|rotate|rename|move|copy|send|share|email|e-?mail|print|organi[sz]e|sort|tidy|clean|upload|make|create|generate|draw|paint|design|apply|convert|compress|merge|combine|summari[sz]e|analy[sz]e|translate|describe|compare|add|tag|turn|remind|restore|backup|back up|import|export|spiel\p{L}*|nimm|lies|komponier\p{L}*|empfiehl|hilf|lösch\p{L}*|entfern\p{L}*|bearbeit\p{L}*|verschieb\p{L}*|kopier\p{L}*|sende?|schick\p{L}*|teile?|druck\p{L}*|sortier\p{L}*|erstell\p{L}*|mach\p{L}*|fass\p{L}*|analysier\p{L}*|übersetz\p{L}*|beschreib\p{L}*|erklär\p{L}*|vergleich\p{L}*|schreib\p{L}*|lade|pon|ponme|toca|lee|compón|recomienda\p{L}*|ayúda\p{L}*|borra\p{L}*|elimina\p{L}*|edita\p{L}*|recorta\p{L}*|mueve|copia|env[ií]a\p{L}*|comparte|imprime|ordena|organiza|sube|crea|haz|genera|dibuja|resume|resumir?|analiza|traduce|describe|explica|compara|escribe|recuérdame|mets|joue\p{L}*|lis|recommande\p{L}*|aide\p{L}*|supprime\p{L}*|efface\p{L}*|modifie\p{L}*|édite\p{L}*|déplace\p{L}*|copie\p{L}*|envoie\p{L}*|envoye\p{L}*|partage\p{L}*|imprime\p{L}*|trie|range|organise\p{L}*|crée\p{L}*|fais|génère|dessine|résume\p{L}*|analyse\p{L}*|traduis|décris|explique\p{L}*|écris|rappelle\p{L}*)(?!\p{L})/iu

/** Requests for something other than showing items: "puedes leer pdfs", "tu peux résumer mes notes". */
export const otherRequests: RegExp =
  /^[\s\p{P}]*(?:(?:hola|bonjour|salut|mira),? )*(?:(?:(?:me|nos) )?(?:puedes|podrías) (?:(?:le|resum|hac|escrib|traduc|describ|convert|comprim|mov|sub|añad|pon|reproduc|suger|un)[ei]r|(?:edit|borr|elimin|dibuj|pint|diseñ|cre|gener|analiz|explic|compar|mejor|recort|gir|rot|renombr|copi|envi|mand(?!arme|arnos)|compart|ordenar|organiz|guard|agreg|cambi|modific|quit|toc|ayud|recomend|record|descarg|transform|retoc)ar|compartir|imprimir)(?:l[oae]s?|me|nos)?|(?:est-ce que )?(?:tu peux|vous pouvez|(?:peux|pourrais)[- ]tu|pouvez[- ]vous) (?:(?:me|nous) )?(?:(?:résum|modifi|édit|supprim|effac|dessin|cré|génér|analys|expliqu|compar|compress|amélior|recadr|tourn|renomm|déplac|copi|partag|imprim|tri|rang|organis|import|ajout|enregistr|sauvegard|jou|chang|retouch|télécharg|aid|recommand|conseill|suggér|rappel|utilis|transform|fusionn|envoy)er|(?:re)?lire|peindre|écrire|traduire|décrire|convertir|mettre|prendre|extraire|faire(?! voir)))(?!\p{L})/iu
/** Verbs at the end of a request for a new picture: "ein Bild von Anna malen", but not "Bilder von Anna beim Malen". */
export const drawingVerbs: RegExp =
  /(?<!(?<!\p{L})(?:vom|beim|zum|am|a|de) )(?<!\p{L})(?:malen|zeichnen|generieren|dibujar|dessiner)[\s.!?]*$/iu
/** Styles of a new picture: "image of a cat in watercolor". */
export const drawingStyles: RegExp =
  /(?<!\p{L})(?:in (?:watercolou?rs?|oil|pixel art)[\s.!?]*$|(?:in the style of|im stil von|al estilo de|dans le style de)(?!\p{L}))/iu
/** Words for published music. Without a request, a phrase means such music, not an item of the user: "song about rain". */
export const publishedMusic: RegExp = whole('songs?|music|canci[oó]n(?:es)?|música|chansons?|musique|musik')
/** Words for published works that are ranked. */
export const publishedWorks: RegExp = whole(
  'songs?|music|movies?|films?|filmen?|películas?|peliculas?|canci[oó]n(?:es)?|música|chansons?|musique|lieder|musik',
)
/** Words of a ranking of published works: "top 10 movies", "les meilleurs films". */
export const rankingWords: RegExp = whole('best|top|besten?|mejor(?:es)?|meilleure?s?')
const program =
  'bash|linux|ubuntu|unix|python|java|javascript|typescript|node|php|terminal|shell|powershell|windows|mac ?os|git|docker|sql|vba|directory'
/** Programs in which files are listed or found: "list files in python", "find files larger than 1 GB linux". */
export const inPrograms: RegExp = whole(
  `(?:in|on|with|using|under|unter|mit|en|con|avec|sous) (?:an? |the )?(?:${program})`,
)
export const programs: RegExp = whole(program)
/** Words of commands and sizes for such programs. */
export const commandWords: RegExp = whole(
  '(?:larger|bigger|greater|smaller|older|newer) than|\\d+ ?[kmgt]b|hidden|recursive(?:ly)?|command|grep|ls|größer als|más grandes que|plus (?:gros|grands) que',
)

/** Openings of a search, followed by its topic. */
export const seekWords: RegExp =
  /^(?:find|search(?:\s+for)?|look\s+for|where\s+(?:is|are)|busca(?:r|me)?|encuentra(?:me)?|d[óo]nde\s+est[áa]n?|(?:re)?cherche[rz]?|(?:re)?trouve[rz]?|o[ùu]\s+(?:est|sont)|finde|such(?:e|en)?(?:\s+nach)?|wo\s+(?:ist|sind))(?:\s+me|\s+mir|[\s-]moi)?(?!\p{L})/iu

/** Openings of a request for items, other than searches. */
export const requestWords: RegExp =
  /^(?:(?:show|give|get|let)(?:\s+(?:me|us))?(?:\s+see)?|pull\s+up|bring\s+up|display|list|open|view|see|count|i['’]?m looking for|(?:i['’]d\s+like|i\s+(?:am\s+looking\s+for|need|want|would\s+like))(?:\s+to\s+(?:see|find|view|have))?|do\s+you\s+have|have\s+you\s+got|(?:do|have)\s+(?:i|we)(?:\s+(?:have|got))?|are\s+there|is\s+there|zeige?n?(?:\s+sie)?(?:\s+(?:mir|uns))?(?:\s+bitte)?|gib\s+mir|öffne|liste?|ich\s+(?:brauche|suche|will|möchte)|hast\s+du|gibt\s+es|haben\s+wir|habe?\s+ich|mu[eé]stra(?:me|nos)?|mostrar(?:me|nos)?|ense[nñ]ar(?:me|nos)?|ens[eé][nñ]a(?:me)?|dame|estoy\s+buscando|necesito(?:\s+ver)?|l[ií]sta(?:me)?|abre|quiero(?:\s+ver)?|ver|tengo|tenemos|hay|montre[rz]?(?:[\s-](?:moi|nous))?|affiche[rz]?(?:[\s-]moi)?|liste[rz]?|donne[\s-]moi|ouvre|je\s+(?:cherche|veux|voudrais)(?:\s+voir)?|ai-je|avons-nous|y\s+a-t-il)(?!\p{L})/iu

/** Openings of a question, before its subject. */
export const questionWords: RegExp =
  /^(?:(?:in|on|auf|sur|dans|en)\s+)?(?:which|what|welche[mnrs]?(?:\s+war(?:en)?)?|lesquels|lesquelles|was(?:\s+(?:für(?:\s+eine?)?|war(?:en)?))?|qu[ée]|cu[aá]l(?:es)?(?:\s+(?:son|es|fue(?:ron)?))?|(?:does|do|is|are)\s+any(?:\s+of)?|do(?=\s+my)|did\s+(?:i|we)(?:(?=\s+upload)|\s+(?:take|record|save|add))|quel(?:le)?s?(?:\s+(?:était|fut))?|qu['’]est-ce que|qu['’](?=ai-je|avons-nous))(?:(?<=['’])|(?!\p{L}))/iu

/** A past verb at the end of such an opening. */
export const pastVerbAtEnd: RegExp = /\s(?:war(?:en)?|fue(?:ron)?|était|fut)$/iu

/** Words of statements about items, which a phrase such as "photos of the beach" doesn't have. */
export const statementWords = words(
  `i you he she we they it is are was were has had will would should ich du er sie wir ihr es ist sind war waren hat hatte yo tú
  él ella somos está están era fue je tu il elle nous vous ils est sont était`,
)

/** Words before a noun in statements about an event: "Anna sent me photos". */
export const eventWords = words(
  'me us him them sent took lost bought found made mir uns sacó envió hice vi pris envoyé perdu ajouté vu',
)

/** First words after a noun that make a statement about it: "the photos are on the shelf". */
export const beingVerbs = words('is are was were ist sind war waren es son está están est sont était')

/** Words before a noun that don't belong to a topic. */
export const emptyWords = words(
  `a an the all any some my our me us of which what in on one ones every each i we do does did have has is are there for to
  your these those that der die das den dem ein eine einen einem einer alle allen alles meine meinen meiner meines mein unsere
  von welche welchen welcher was sind ist gibt es auf hab habe haben ich wir nach bitte mal hier el la los las un una unos unas
  todos todas todo mis mi nuestras nuestros de del en qué que cuáles cuál cuales cual hay tengo he hemos subí añadí guardé importé agregué le les l une des du d mes mon ma
  nos tous toutes tout dans sur quels quelles quel quelle sont est ce j ai ai-je avons-nous lesquels lesquelles saved upload uploaded added stored recently other another anderen weitere
  hochgeladene hochgeladenen hinzugefügte hinzugefügten gespeicherte gespeicherten`,
)

/** Words between a noun and its topic: "of", "taken in", "that mention", "auf denen". */
export const linkWords = words(
  `of with from in on at near around about regarding by where that which who named called titled containing including featuring
  showing mentioning talking saying taken made shot recorded captured added uploaded downloaded modified saved stored created
  edited received anything something related von vom aus mit über zum zur zu im am bei beim auf wo worauf denen dem die der
  das avec sur dans où qui à au aux de du des d en chez par prise prises pris mentionnant contenant montrant ajoutés ajoutées
  meiner meines unserer unseres between zwischen entre del con sobre donde que conteniendo tomadas hechas llamado llamada`,
)

/** Words followed by the topic, possibly after a determiner: "of my son", "about the sale". */
export const topicLinks = words('of on about regarding von vom über zum zur sur sobre de du des del d')
/** Words between a word of `topicLinks` and the topic. */
export const determiners = words(
  `a an the all any some my our your these those one der die das den dem des ein eine einen einem einer meine meinen meiner
  meines mein meinem unsere unserem unserer alle allen el la lo los las un una unos unas mi mis nuestra nuestro nuestras nuestros todos todas le les
  une du mon ma mes notre nos tous toutes which whom denen quoi lesquels lesquelles laquelle l`,
)

/** Verbs between a noun and its topic: "which videos mention". */
export const linkVerbs = words(
  `contain contains include includes feature features show shows mention mentions talk talks say says erwähnen erwähnt enthalten
  enthält zeigen zeigt handeln handelt kommt kommen mentionnent mentionne contiennent contient parlent parle montrent montre
  apparaît voit-on contengan contienen contiene mencionan mencionen menciona hablan habla sale salen aparece aparecen`,
)

/** Words of questions about obligations rather than existing items: "¿qué documentos tengo que llevar?". */
export const mustWords: RegExp = whole(
  'tengo que|tenemos que|hay que|(?<!^)necesit\\p{L}+|(?:have|need|has) to|do (?:i|we) need|besoin|faut|dois-je|puis-je|puedo|brauche ich|brauchen wir|muss ich|kann ich|soll ich',
)

/** Words between a noun and its link that belong to the question: "do I have", "habe ich", "that I took". */
export const askingWords = words(
  `do did does have has had is are was were i we there took take taken made might may could can got uploaded upload download
  modify add save habe haben hab ich wir gibt es ist sind wurden wurde tengo tenemos hay hice subí subido he añadí añadido guardé guardado importé agregué están son ai ai-je j
  avons-nous avons nous y a-t-il sont ont été est envoyés envoyées téléversés téléversées gespeichert hochgeladen hinzugefügt`,
)

/** Words between a noun and its topic in requests: "Dokumente für Allianz", "search my notes for". */
export const forWords = words('for für para pour as')

/** Words after a topic that belong to the question. */
export const tailWords = words(
  `do have i we are is there got taken uploaded added saved stored modified made appears appear mentioned sent shared
  downloaded take up use occupy habe ich haben wir gibt es gemacht hochgeladen hinzugefügt gespeichert aufgenommen ist sind sein zu
  sehen auf zuerst brauchen belegen zusammenhängen zusammenhängt tengo tenemos hay guardados guardadas cargados cargadas subidos subidas
  ai-je avons-nous y a-t-il prises pris uploadés uploadées ajoutés ajoutées indexés indexées modifiés modifiées archivés
  archivées été ont wurden prennent occupent ocupan pesan primero beinhalten enthalten erwähnt vor insgesamt envoyés envoyées téléversés téléversées subido añadido`,
)

/** Several words after a topic that belong to the question. */
export const tailPhrases: RegExp =
  /(?<!\p{L})(?:(?:in|from) (?:my|the|our) (?:library|files|memory)|in total|en total|au total|im text|sent me|shared with me|(?<!(?:about|of) )total)$/iu

/** Words left at the end of a topic after a time was removed: "Paris in". */
export const danglingWords = words(
  'als as como between zwischen entre of from in on at during since the and de del du d en desde el la le les vom von aus im am der dem den des und seit',
)

export const sortWords: readonly [MediaSort, RegExp][] = [
  [
    'oldest',
    whole(
      'oldest|earliest|first|m[áa]s antigu\\p{L}+|primer\\p{L}*|plus ancien\\p{L}*|premi(?:er|ère)s?(?=[\\s\\p{N}]*$)|älteste\\p{L}*|früheste\\p{L}*|erste[nrs]?',
    ),
  ],
  [
    'largest',
    whole(
      'largest|biggest|heaviest|(?:large|big|huge|grandes|große[nrs]?)(?=[\\s\\p{N}]*$)|m[áa]s grandes?|m[áa]s pesad[oa]s?|plus (?:gro\\p{L}+|lourd\\p{L}*|volumineu\\p{L}+)|größte\\p{L}*',
    ),
  ],
  ['longest', whole('longest|m[áa]s larg[oa]s?|plus long\\p{L}*|längste\\p{L}*')],
  [
    'newest',
    whole(
      '(?:(?:most|more) )?recent(?:ly(?: (?:added|uploaded|saved|taken))?)?|last|latest|newest|(?:m[áa]s )?recientes?|[úu]ltim[oa]s?|(?:plus )?récente?s?|derni(?:ers?|ères?)|letzte\\p{L}*|neueste\\p{L}*|zuletzt(?: (?:hinzugefügte|hochgeladene|gespeicherte)n?)?',
    ),
  ],
]

/** Words that belong to a sort order: "the most recent", "les plus récentes". */
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
  /how much (?:space|storage|room)|how big (?:is|are) my|take up|\bsize of\b|cu[áa]nto (?:espacio|almacenamiento|ocupan?|pesan?)|cómo de grande|combien (?:d['’]espace|de place|de stockage|pèsent)|(?:tamaño|taille) (?:totale? )?de m|qué tamaño tienen? mi|quelle taille (?:font?|fait|ont|a) m(?=es|on|a )|wie ?viel (?:platz|speicher)|wie groß (?:ist|sind) mein/iu
export const countWords: RegExp =
  /^(?:how many|count|number of|zähle?|cuenta|compte[rz]?|cu[áa]nt[oa]s|combien (?:de|d['’])(?! ?(?:place|espace|temps|stockage))|wie ?viele)(?!\p{L})/iu
export const ownWords: RegExp = whole(
  "my|mine|mis?|mes|mon|ma|meine?[rnms]?|unsere?|our|i have|(?:have|did|do|am) i|tengo|tenemos|(?:he|hemos) (?:subido|añadido|hecho)|subí|añadí|hice|uso|j['’]utilise|benutze ich|(?:ai|avons)-(?:je|nous)|j['’]ai|habe? ich|haben wir|(?:are|is) there|hay|gibt es|y a-t-il|are saved|sont indexés|wurden|ont été",
)

/** Openings that may also ask for something else, or be statements. */
export const unclearRequest: RegExp = /^(?:give|get|let|dame|gib|donne|tengo|tenemos|hay(?!\p{L}))/iu

/** Words for the future, whose items don't exist yet: "do I have a presentation tomorrow". */
export const futureWords: RegExp = whole(
  'tomorrow|(?:next|coming) (?:week|weekend|month|year|\\p{L}+day)|(?<!(?:am|vom|guten|jeden|heute|gestern) )morgen|übermorgen|nächste[nrs]?|(?<!(?:la|esta) )mañana|próxim[oa]s?|demain|prochaine?s?',
)
/** Words that a question about the whole storage may also contain. */
export const storageWords = words(
  'am use used using take taking taken up left total altogether storage memory occupied free uso usado ocupo memoria queda libre utilise utilisé reste verbrauche benutze belege belegt frei noch',
)

export const tagPattern: RegExp =
  /(?:tagged(?! in(?!\p{L}))(?: (?:with|as))?|with (?:the )?tag|etiquetad[oa]s (?:como|con)|con la etiqueta|étiquetée?s|avec l['’]étiquette|mit (?:dem )?(?:tag|schlagwort))\s+["“«„']?([^"”»“'?.!]{1,50})/iu
