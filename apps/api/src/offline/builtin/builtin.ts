import { type Language, REMEMBER, type Source } from '@mira/shared'
import type {
  AttachedItem,
  ChatEngine,
  EngineEvent,
  Passage,
  Question,
  RecalledPassage,
} from '../../engines/chat-engine.ts'
import { type Text, textsIn } from '../../platform/messages/texts.ts'
import { plainWords } from '../language/language.ts'
import { judgeMessage } from '../message-kind/message-kind.ts'
import { tellTime } from './clock.ts'
import { readHelpQuestion } from './help.ts'

/** Patterns of small talk and of questions about the assistant, without accents. */
interface BuiltinWords {
  /** Openings of small talk. */
  greeting: RegExp
  thanks: RegExp
  goodbye: RegExp
  wellbeing: RegExp
  /** Words that may follow small talk without making it a request. */
  followingWords: string
  /** Questions about the assistant itself. */
  aboutItself: RegExp
  aboutConnecting: RegExp
}

const builtinWords: Record<Language, BuiltinWords> = {
  en: {
    greeting:
      /^(?:well |why )?(?:hi|hiya|hello|hey|howdy|aloha|yo|greetings|good (?:morning|afternoon|evening|day)|morning|(?:it s )?(?:nice|good|great|pleased) to (?:meet|see) you)\b/,
    thanks:
      /^(?:(?:ok|okay|oh|great|perfect|awesome|cool|nice|good|alright|all right|yes|no|well|hey|wow|many|a big|much|that s \w+|this is \w+) )*(?:thanks(?! giving)|thank you|thank u|thx|ty|cheers|(?:i |we )?(?:really |truly |do |so |very much )*appreciate|appreciated|i m (?:so |very |really )?(?:grateful|thankful))\b|^(?!.*\b(?:say|says|said|write|writes|wrote|translate|letter|card|with)\b).*\b(?:thanks|thank you)(?: (?:so|very) much| a lot)?$/,
    goodbye:
      /^(?:(?:ok|okay|well|alright|all right|thanks|thank you|so|that s all|for now|i (?:have|need|got|gotta) to go|gotta go|i m done|(?:it was |it s been )?(?:nice|good|great|a pleasure|lovely|fun) (?:chatting|talking|speaking|talk|chat)(?: (?:with|to) you)?) )*(?:(?:good ?)?bye|goodbye|bye bye|see (?:you|ya)|good ?night|farewell|take care|talk (?:to you )?(?:later|soon)|until next time|have a (?:good|great|nice|lovely) (?:one|day|night|evening|weekend))\b|^(?!.*\b(?:say|says|said|write|writes|wrote|translate|letter|card|with)\b).*\b(?:good ?bye|bye)$|^it (?:was|s been) (?:\w+ )?(?:nice|good|great|a pleasure|lovely|fun|pleasant|cool) (?:to )?(?:chat|talk|speak)\w* (?:to|with) you$/,
    wellbeing:
      /^(?:(?:hi|hello|hey|there|so|good|morning|evening|afternoon|well|mira|tell me) )*(?:how (?:are|re) (?:you|u|things|ya)|how(?: i?s|ve| have) (?:it going|everything|life|your day|things|you been|it hanging)|how (?:do you (?:do|feel)|goes it|was your day)|are you (?:ok|okay|well|doing (?:well|ok|okay|alright))|what s up(?! with)|whats up(?! with)|sup|how you doin\w*)\b/,
    followingWords:
      'there my dear friend friends mate buddy pal bot robot ai chatbot computer everyone everybody all guys folks sir maam again today tonight tomorrow now then for to you too your help time and so very much well thanks thank soon later have a good great nice lovely day night evening morning afternoon weekend week sleep sweet dreams doing going feeling with this far lately been it s is hope i am are',
    aboutItself:
      /\bwho (?:are|r) you\b|\bwhat (?:are|r) you(?: (?:called|exactly|anyway|made (?:of|for)|good (?:at|for)|capable of|able to \w+))?$|\bwho (?:made|created|built|designed|programmed|developed|invented|wrote|trained|owns) (?:you|this (?:ai|bot|assistant))\b|\b(?:what|whats|know|tell me|say|share|and)(?: \w+){0,3} your(?: \w+)? name(?! for)\b|\byour (?:maker|creator|inventor|developer|designer|manufacturer|programmer|purpose|abilities|capabilities|features|functions|skills)\b|(?<!old )\b(?:are|r) (?:you|u) (?:really |just |actually |an? |the |real |actual |live |human )*(?:bot|robot|human|person|machine|computer|ai|program|real|alive|chatbot)\b|\bam i (?:\w+ )?(?:talking|speaking|chatting) (?:to|with) an? \b|^(?:(?:so|hey|and|ok|tell me|exactly) )*what (?:else )?(?:can|could|do) you(?: (?:do|know|offer))?(?: (?:for|about|with)(?: me)?)?$|\b(?:what|which)(?: \w+){0,5} (?:can|could|may|should|do) (?:i|we) (?:ask|call) you\b|\b(?:what|which)(?: \w+){1,5} (?:can|could) you (?:do|answer|help|assist|handle|perform)\b|\bwhat(?: \w+)? (?:can|could) you (?:help|assist)\b|^(?:can|could|will) you help me(?: out)?$|\bhow (?:do|can|could) (?:you (?:work|help)|i use you)\b|\b(?:about|introduce) yourself\b|^what is this$|^help(?: me)?$/,
    aboutConnecting:
      /\b(connect|configure|set up|setup|install|add|use)\b.*\b(model|llm|openai|ollama|gpt)\b|\b(language model|llm)\b/,
  },
  es: {
    greeting:
      /^(?:hola|buen(?:os|as)?(?: (?:dias?|tardes|noches))?|saludos|hey|ey|que tal|que hay|encantad[oa] de (?:verte|conocerte))\b/,
    thanks:
      /^(?:(?:ok|vale|bien|perfecto|genial|muy|estupendo|oh|no|si) )*(?:(?:muchas|mil) )?(?:gracias|te lo agradezco|agradecid[oa])\b/,
    goodbye:
      /^(?:(?:ok|vale|bien|bueno|gracias|eso es todo|me voy) )*(?:adios|chao|chau|hasta (?:luego|manana|pronto|la vista|otra)|nos vemos|buenas noches|que (?:tengas|pases) (?:un )?buen)/,
    wellbeing:
      /^(?:(?:hola|oye|buenos|buenas|dias|tardes|y|mira) )*(?:(?:como|que tal) (?:estas|esta usted|te va|te encuentras|va todo|andas|va$)|que pasa$)/,
    followingWords:
      'amigo amiga amigos robot bot asistente a todos de nuevo otra vez hoy manana dia dias tarde tardes noche noches buen buena buenos buenas que tal y muy bien gracias por tu su ayuda todo luego pronto hasta descanses duermas bien usted tu',
    aboutItself:
      /\b(?:que (?:\w+ )?(?:puedes|sabes|puede|sabe)(?: usted)? hacer|quien(?:es)? eres|que eres|como (?:te llamas|funcionas|te puedo llamar)|quien te (?:hizo|creo|ha hecho|ha creado|programo|diseno|construyo)|(?:tu|tus|su) (?:nombre|creador|funciones|capacidades|proposito)|eres (?:un |una )?(?:bot|robot|human[oa]|persona|maquina|ordenador|ia|real)|(?:en )?que (?:me )?puedes ayudar\w*|que (?:\w+ )?(?:te )?puedo preguntar\w*|presentate|que es esto)\b|^ayuda(?:me)?$/,
    aboutConnecting:
      /\b(conect|configur|instal|anad|usar)\w*\b.*\b(modelo|llm|openai|ollama|gpt)\b|\b(modelo de lenguaje|llm)\b/,
  },
  fr: {
    greeting:
      /^(?:bonjour|bonsoir|salut|coucou|hello|bonne journee|salutations|enchantee?|ravie? de (?:te|vous) (?:voir|rencontrer|connaitre))\b/,
    thanks:
      /^(?:(?:ok|oh|super|parfait|genial|tres bien|bien|non|oui|un grand|mille) )*(?:merci|je (?:te|vous) remercie)\b/,
    goodbye:
      /^(?:(?:ok|bon|bien|merci|allez|salut|c est tout) )*(?:au revoir|bye|adieu|a (?:bientot|demain|plus|plus tard|la prochaine|tout a l heure)|bonne (?:nuit|soiree|journee)|ciao)\b/,
    wellbeing:
      /^(?:(?:bonjour|bonsoir|salut|coucou|et|alors) )*(?:comment (?:vas tu|allez vous|ca va|tu vas|vous allez|te sens tu|ca a ete)|(?:est ce que )?ca va|tu vas bien|quoi de neuf)\b/,
    followingWords:
      'mon ma cher chere ami amie amis robot bot assistant a tous toutes toi vous tout le monde encore bien merci pour ton votre aide et demain bientot plus tard aujourd hui ce matin soir bonne bon nuit soiree journee la prochaine fois',
    aboutItself:
      /\b(?:que (?:peux tu|sais tu|pouvez vous|savez vous) faire|qu est ce que (?:tu peux|vous pouvez|tu sais|vous savez)|qui (?:es tu|etes vous)|(?:tu es|vous etes) qui|qu es tu|qu est ce que tu es|comment (?:fonctionnes tu|fonctionnez vous|t appelles tu|tu t appelles|vous appelez vous)|(?:ton|votre) (?:nom|createur|but|fabricant)|qui (?:t a|vous a|est ce qui t a) (?:cree|fait|concu|fabrique|programme|invente|construit)\w*|(?:es tu|tu es|etes vous) (?:un |une |vraiment )*(?:bot|robot|humaine?|personne|machine|ordinateur|ia|reel)|(?:tes|vos) (?:fonctions|capacites|competences)|presente toi|presentez vous|(?:en|a) quoi (?:peux tu|pouvez vous) (?:m aider|servir))\b|^c est quoi(?: (?:ca|cela|ceci))?$|^(?:aide|aide moi|aidez moi)$/,
    aboutConnecting:
      /\b(connect|configur|install|ajout|utilis)\w*\b.*\b(modele|llm|openai|ollama|gpt)\b|\b(modele de langage|llm)\b/,
  },
  de: {
    greeting:
      /^(?:hallo|hi|hey|guten (?:morgen|tag|abend)|morgen$|moin|servus|gru(?:ß|ss)|gru(?:ß|ss)e? (?:dich|gott)|(?:schon|freut mich)(?: \w+)* (?:sehen|kennenzulernen))/,
    thanks:
      /^(?:(?:ok|okay|oh|super|perfekt|toll|gut|nein|ja|prima|alles klar|vielen|herzlichen|besten|lieben|schonen|tausend) )*(?:dank|danke|dankeschon|ich danke)(?!\p{L})/u,
    goodbye:
      /^(?:(?:ok|okay|gut|also|danke|dann|so|das war s|das war alles|ich muss los) )*(?:tschu(?:ß|ss)|tschau|ciao|bye|auf wiedersehen|wiedersehen|bis (?:bald|spater|morgen|dann|nachher|zum nachsten)|gute nacht|mach s gut|schonen (?:tag|abend|feierabend)|schones wochenende)(?!\p{L})/u,
    wellbeing:
      /^(?:(?:hallo|hi|hey|na|und|guten|morgen|tag|abend|moin) )*(?:wie (?:geht(?: es)?(?: s)?(?: dir| ihnen)?|gehts(?: dir)?|lauft s|fuhlst du dich|war dein tag)|geht(?: e)?s dir gut|alles (?:klar|gut|ok)(?: bei dir)?$|was geht)(?!\p{L})/u,
    followingWords:
      'mein meine lieber liebe freund freundin freunde robot bot ki assistent alle allerseits zusammen du dir dich ihnen euch heute denn so morgen bald spater dann nachher bis und schlaf gut schone schonen guten gute tag abend nacht wochenende danke vielen dank fur deine ihre hilfe nochmal wieder auch da leute',
    aboutItself:
      /\b(?:was (?:\w+ )?(?:kannst|konntest|weißt) du(?: alles| so| denn| fur mich| machen| tun)*$|was kannst du|wer bist du|was bist du|bist du (?:ein |eine |wirklich |echt )*(?:bot|robot|roboter|mensch|person|maschine|computer|ki|chatbot|echt)|wie (?:funktionierst|heißt|arbeitest) du|wie (?:soll|kann|darf) ich dich nennen|wer hat dich (?:gemacht|erschaffen|gebaut|programmiert|erstellt|entwickelt|erfunden|hergestellt|geschaffen)|was ist das hier|dein (?:name|schopfer|entwickler|zweck|ersteller)|deine (?:fahigkeiten|funktionen)|stell dich vor|(?:wobei|womit|bei was|wie) kannst du (?:mir )?helfen|was (?:alles )?kann ich dich (?:alles )?fragen)\b|^hilfe?$|^hilf mir$/,
    aboutConnecting:
      /\b(verbind|einricht|konfigur|install|hinzufug|benutz|nutz)\w*\b.*\b(modell|llm|openai|ollama|gpt)\b|\b(modell|llm|openai|ollama|gpt)\b.*\b(verbind|einricht|konfigur|install|hinzufug|nutz)\w*\b|\b(sprachmodell|llm)\b/,
  },
}

/** Name of the engine and of its model, as stored and shown. */
export const BUILTIN = 'built-in'

/** The engine reads the last message only, so any size would do. */
const CONTEXT_TOKENS = 8192
const MAX_SMALL_TALK_WORDS = 15
/** Longer messages aren't about the assistant; matching takes quadratic time. */
const MAX_QUESTION_CHARACTERS = 1000
/** Near matches are added until there are this many passages. */
const MAX_NEAR = 3
/** Probability below which a near match is left out. */
const MIN_NEAR_PROBABILITY = 0.2
/** Passages quoted in place of an unreachable model's answer. */
const MAX_WITHOUT_MODEL = 5
/** Tool of which the introduction gives an example. */
const CALCULATOR = 'calculator'

/**
 * Engine without a model: explains itself and how to connect a model, calls the tool that a message clearly asks for, and
 * answers everything else with quotes from the user's items and earlier conversations.
 */
export function createBuiltin(): ChatEngine {
  return {
    name: BUILTIN,
    model: () => BUILTIN,
    contextTokens: async () => CONTEXT_TOKENS,
    title: async () => null,
    summarise: async () => null,
    rephrase: async () => null,
    async *answer(question: Question, signal: AbortSignal): AsyncGenerator<EngineEvent> {
      const message = question.turns.at(-1)?.content ?? ''
      const { text, sources } =
        resume(question) ??
        // "what time is it in London?" sounds like a question about its weather
        (isAboutAttached(question) ? null : (replyAboutTime(message, question) ?? replyWithHelp(message, question))) ??
        (await useTool(message, question, signal)) ??
        (isAboutAttached(question) ? null : reply(message, question)) ??
        (await quote(message, question))
      if (signal.aborted) return
      if (sources.length > 0) yield { type: 'sources', sources }
      for (const piece of text.match(/\S+\s*/g) ?? []) {
        if (signal.aborted) return
        yield { type: 'text', text: piece }
      }
      yield { type: 'end', model: BUILTIN, usage: null }
    },
  }
}

/** Answer written without a model, with its sources. */
interface Reply {
  text: string
  sources: Source[]
}

/** True when items are attached to the last message. */
function isAboutAttached({ attached = [] }: Question): boolean {
  return attached.some(({ isInLastMessage }) => isInLastMessage)
}

/** Continues an answer after the user's decision about a tool call; null for a new answer. */
function resume({ soFar, language }: Question): Reply | null {
  if (soFar?.resumedCall === undefined) return null
  const say = textsIn('builtin', language)
  const { text, isError, isDeclined } = soFar.resumedCall.result
  const answer = isDeclined ? say('toolDeclined') : isError ? say('toolFailed', { reason: text }) : text
  return { text: soFar.text === '' ? answer : `\n\n${answer}`, sources: [] }
}

/** Result of the tool that the message asks for; null for none. */
async function useTool(message: string, question: Question, signal: AbortSignal): Promise<Reply | null> {
  const tool = question.toolFor(message)
  if (tool === null) return null
  const { isError, isWaiting, text } = await question.callTool(tool, JSON.stringify({ input: message }), signal)
  const say = textsIn('builtin', question.language)
  if (isWaiting) return { text: say(tool === REMEMBER ? 'rememberWaiting' : 'toolWaiting'), sources: [] }
  return { text: isError ? say('toolFailed', { reason: text }) : text, sources: [] }
}

/** Answer to a question about the time or the date; null for everything else. */
function replyAboutTime(message: string, { language, timeZone }: Question): Reply | null {
  if (message.length > MAX_QUESTION_CHARACTERS) return null
  const text = tellTime(message, { language, timeZone, now: new Date() })
  return text === null ? null : { text, sources: [] }
}

/** Answer to a question about using Mira, with a link to the page; null for everything else. */
function replyWithHelp(message: string, { language }: Question): Reply | null {
  if (message.length > MAX_QUESTION_CHARACTERS) return null
  const help = readHelpQuestion(message)
  return help && { text: textsIn('builtin', language)(`help.${help.subject}`, { link: help.link }), sources: [] }
}

/** Answer to small talk or a question about the assistant; null for everything else. */
function reply(message: string, { language, assistantName, tools, memory }: Question): Reply | null {
  const text = textsIn('builtin', language)
  const { greeting, thanks, goodbye, wellbeing, followingWords, aboutItself, aboutConnecting } = builtinWords[language]
  const plain = plainWords(message).join(' ')
  const say = (...sentences: string[]): Reply => ({ text: sentences.join('\n\n'), sources: [] })
  const introduction = text('introduction', {
    name: assistantName,
    canCalculate: tools.some(({ name }) => name === CALCULATOR) ? 'yes' : 'no',
    hasMemory: memory === 'closed' ? 'no' : 'yes',
  })
  const welcome = say(`${text('welcome')} ${introduction}`, text('connecting'))
  if (plain === '') return /\d/.test(message) ? null : welcome
  if (plain.length > MAX_QUESTION_CHARACTERS) return null
  if (aboutConnecting.test(plain)) return say(text('connecting'))
  if (plain.split(' ').length > MAX_SMALL_TALK_WORDS) return null
  if (aboutItself.test(plain)) return say(introduction, text('connecting'))
  // "Hi, when is the dentist?" isn't small talk
  const thanksMatch = thanks.exec(plain)
  const allowedWords = new Set(['', ...plainWords(assistantName), ...followingWords.split(' ')])
  // Not "good night stories" or "hey, play some jazz".
  const isSmallTalk = (opening: RegExp) =>
    opening.test(plain) &&
    plain
      .replace(opening, '')
      .split(' ')
      .every((word) => allowedWords.has(word))
  if (isSmallTalk(goodbye)) return say(text('goodbye'))
  if (thanksMatch !== null && (thanksMatch[0] === plain || judgeMessage(message) === 'talk')) return say(text('thanks'))
  if (isSmallTalk(wellbeing)) return say(text('wellbeing'))
  return isSmallTalk(greeting) ? welcome : null
}

/** Quotes in place of an unreachable model's answer; null when there are none. */
export function quoteWithoutModel(question: Question): Reply | null {
  const { sure, near } = foundPassages(question)
  const passages = (sure.length > 0 ? sure : near).slice(0, MAX_WITHOUT_MODEL)
  if (passages.length === 0) return null
  const text = textsIn('builtin', question.language)
  const numbered = passages.map((passage, index) => ({ ...passage, source: { ...passage.source, n: index + 1 } }))
  const lines = numbered.map(passageLine(text)).join('\n')
  return { text: `${text('withoutModel')}\n\n${lines}`, sources: numbered.map(({ source }) => source) }
}

async function quote(message: string, question: Question): Promise<Reply> {
  const { language, timeZone, recall, memory, passages, attached = [] } = question
  const text = textsIn('builtin', language)
  const { sure, near } = foundPassages(question)
  // A message that needs nothing from the memory, or is about attached items, isn't looked up.
  const isLookedUp = memory !== 'unasked' && !isAboutAttached(question)
  const recalled = isLookedUp ? await recall(message) : []
  // Items of earlier messages are quoted only when they match the question.
  const quoted = attached.filter(({ isInLastMessage, hasMatch }) => isInLastMessage || hasMatch)
  // Sources are renumbered as they are quoted, with earlier messages before near matches: omitted sources would leave gaps.
  const certain = [...new Set([...quoted.flatMap(({ bestPassages }) => passagesOf(bestPassages, passages)), ...sure])]
  const numberOf = (index: number) => (index < certain.length ? index : index + recalled.length) + 1
  const numbered = new Map(
    [...certain, ...near].map(({ source, text, certainty }, index) => [
      source.n,
      { source: { ...source, n: numberOf(index) }, text, certainty },
    ]),
  )
  const lineOf = passageLine(text)
  const linesOf = (numbers: number[]) => numbers.flatMap((n) => numbered.get(n) ?? []).map(lineOf)
  const listOf = (listed: Passage[]) => linesOf(listed.map(({ source }) => source.n)).join('\n')
  const hasAnything = recalled.length + sure.length + quoted.length + near.length > 0
  const recalledLines = recalled.map(
    (recollection, index) => `${certain.length + index + 1}. ${quoteLine(recollection, text, language, timeZone)}`,
  )
  const nothing = memory === 'closed' ? text('nothingFound') : text('nothingFoundAnywhere')
  const blocks = [
    ...quoted.flatMap((item) => attachedBlocks(item, linesOf(item.bestPassages), text)),
    ...(sure.length > 0 ? [text('foundInMemory', { count: sure.length }), listOf(sure)] : []),
    ...(recalled.length > 0 ? [text('found', { count: recalled.length }), recalledLines.join('\n')] : []),
    ...(memory === 'silent' ? [text('memorySilent')] : hasAnything || !isLookedUp ? [] : [nothing]),
    ...(near.length > 0 ? [text('near'), listOf(near)] : []),
    hasAnything ? text('limits') : `${text('limits')} ${text('connecting')}`,
  ]
  return {
    text: blocks.join('\n\n'),
    sources: [
      ...[...numbered.values()].map(({ source }) => source),
      ...recalled.map((recollection, index) => asSource(recollection, certain.length + index)),
    ].sort((one, other) => one.n - other.n),
  }
}

/** Passages of the search: certain hits, and near matches when there are few. */
function foundPassages({ passages, attached = [] }: Question): { sure: Passage[]; near: Passage[] } {
  const ofAttached = new Set(attached.flatMap((item) => item.passages))
  const searched = passages.filter(({ source }) => !ofAttached.has(source.n))
  const sure = searched.filter(({ certainty }) => certainty === 'found')
  const near = searched.filter(
    ({ certainty, probability = 1 }) => certainty === 'perhaps' && probability >= MIN_NEAR_PROBABILITY,
  )
  return { sure, near: near.slice(0, Math.max(0, MAX_NEAR - sure.length)) }
}

/** Passages by number, in the given order. */
function passagesOf(numbers: number[], passages: Passage[]): Passage[] {
  return numbers.flatMap((n) => passages.find(({ source }) => source.n === n) ?? [])
}

/** Blocks about an attached item: quotes, or the reason why there are none yet. */
function attachedBlocks(item: AttachedItem, quotes: string[], text: Text<'builtin'>): string[] {
  const title = escaped(item.title)
  const heading = item.hasMatch ? text('inAttached', { title }) : text('beginningOfAttached', { title })
  return [
    ...(quotes.length > 0 ? [heading, quotes.join('\n')] : []),
    ...(quotes.length === 0 && item.pending.length === 0 ? [text('nothingInAttached', { title })] : []),
    ...(item.pending.length > 0 ? [text('attachedPending', { title })] : []),
  ]
}

function passageLine(text: Text<'builtin'>) {
  return ({ source }: Passage): string => {
    const { n, title, snippet, page, page_kind: kind = 'page', page_title, frame_number, timestamp_seconds } = source
    const location = [
      page === undefined ? null : text('atPage', { page, kind, name: page_title ?? String(page) }),
      timestamp_seconds === undefined ? null : text('atTime', { clock: clock(timestamp_seconds) }),
      frame_number === undefined || timestamp_seconds !== undefined ? null : text('atFrame', { frame: frame_number }),
    ].filter((part) => part !== null)
    return text('fromSource', { n, place: escaped([title, ...location].join(', ')), words: escaped(snippet) })
  }
}

/** Formats seconds as 4:05 or 1:04:05. */
function clock(seconds: number): string {
  const [whole, hours] = [Math.floor(seconds), Math.floor(seconds / 3600)]
  const padded = (count: number) => String(count).padStart(2, '0')
  const minutes = Math.floor(whole / 60) % 60
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(whole % 60)}` : `${minutes}:${padded(whole % 60)}`
}

/** Escapes Markdown in a file's text. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>|~#]/g, '\\$&')
}

function quoteLine(recollection: RecalledPassage, text: Text<'builtin'>, language: Language, timeZone: string): string {
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone }).format(recollection.createdAt)
  const whose = recollection.role === 'user' ? text('youWrote') : text('iAnswered')
  return text('fromConversation', {
    date,
    whose,
    words: recollection.snippet,
    conversation: recollection.sessionName,
  })
}

function asSource(recollection: RecalledPassage, index: number): Source {
  return {
    n: index + 1,
    media_id: null,
    media_type: 'chat',
    session_id: recollection.sessionId,
    message_id: recollection.messageId,
    title: recollection.sessionName,
    snippet: recollection.snippet,
    thumbnail: null,
    url: `/chat?session=${recollection.sessionId}`,
  }
}
