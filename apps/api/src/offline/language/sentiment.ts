import { type Language, languages } from '@mira/shared/constants/languages'
import { guessLanguage, plainWords } from './language.ts'

/** Mood of a message. */
export type Sentiment = 'positive' | 'neutral' | 'negative'

interface Lexicon {
  /** Stems: a word counts when it begins with one of them and is at most 4 letters longer. */
  positive: string
  negative: string
  /** Mild words, which count only half: alone, they decide only short statements. */
  mildPositive: string
  mildNegative: string
  /** Words that negate sentiment within the next three words. */
  negations: string
}

/** Words of sentiment, without accents; nouns of everyday requests are left out on purpose. */
const lexicons: Record<Language, Lexicon> = {
  en: {
    positive:
      'love amazing awesome excellent fantastic wonderful brilliant superb perfect delight thrilled gorgeous great glad ' +
      'happy impressive outstanding terrific grateful beautiful enjoy',
    negative:
      'hate terribl horribl awful disgust angry furious useless worthless stupid idiot rubbish garbage pathetic annoy ' +
      'frustrat disappoint unacceptabl nightmare worst sucks ridiculous devastat miserabl upset sad depress',
    mildPositive: 'good nice cool thank cheers helpful fine well',
    mildNegative: 'bad wrong broken fail crash slow problem sorry unhappy worr afraid',
    negations: 'not no never neither nor dont doesnt didnt isnt wasnt arent cant wont hardly without',
  },
  es: {
    positive:
      'encanta excelente fantastic maravillos genial perfect increible estupend magnific feliz contento contenta alegr ' +
      'hermos precios brillant adoro',
    negative:
      'odio horribl terribl pesim asco furios enfadad inutil estupid idiota basura decepcion frustra patetic insoportabl ' +
      'lamentabl triste deprim peor molest desastre',
    mildPositive: 'bueno buena bien gracias gusta util amable',
    mildNegative: 'malo mala mal error fallo falla roto lento problema miedo preocup',
    negations: 'no nunca jamas ni tampoco sin',
  },
  fr: {
    positive:
      'adore excellent fantastiq merveill genial parfait incroyabl superb magnifiq heureu content ravi formidabl ' +
      'impressionn splendid',
    negative:
      'deteste horribl terribl affreu degout furieu colere inutil stupid idiot nulle poubelle decevant decu frustr ' +
      'pathetiq insupportabl lamentabl triste deprim pire enerv catastroph scandal',
    mildPositive: 'bon bonne bien merci aime utile sympa',
    mildNegative: 'mauvais mal erreur casse lent probleme peur inquiet nul',
    negations: 'ne n pas jamais ni sans aucun aucune',
  },
  de: {
    positive:
      'liebe wunderbar ausgezeichnet fantastisch großartig grossartig perfekt genial hervorragend toll super glucklich ' +
      'begeister freue freut herrlich klasse traumhaft beeindruck zufrieden spitze',
    negative:
      'hasse schrecklich furchtbar entsetzlich grauenhaft ekelhaft wutend argerlich arger nutzlos wertlos dumm idiot ' +
      'mull frustrier enttausch unertraglich katastroph traurig deprimier schlimm nervt miserabel mies schlecht',
    mildPositive: 'gut schon danke dank nett hilfreich gern',
    mildNegative: 'falsch kaputt fehler langsam problem leider angst sorge',
    negations: 'nicht kein keine keinen keiner nie niemals ohne kaum',
  },
}

const MAX_ENDING_LETTERS = 4
const NEGATION_REACH_WORDS = 3
const SHORT_STATEMENT_WORDS = 10
const JUDGED_CHARACTERS = 2000

interface Judge {
  weigh(word: string): number
  isNegation(word: string): boolean
}

function createJudge(lexicon: Lexicon): Judge {
  const stems = (text: string) => new RegExp(`^(?:${text.split(' ').join('|')})\\p{L}{0,${MAX_ENDING_LETTERS}}$`, 'u')
  const exactly = (text: string) => new Set(text.split(' '))
  const [positive, negative] = [stems(lexicon.positive), stems(lexicon.negative)]
  const [mildPositive, mildNegative] = [exactly(lexicon.mildPositive), exactly(lexicon.mildNegative)]
  const negations = exactly(lexicon.negations)
  return {
    weigh(word) {
      if (mildPositive.has(word)) return 0.5
      if (mildNegative.has(word)) return -0.5
      if (positive.test(word)) return 1
      return negative.test(word) ? -1 : 0
    },
    isNegation: (word) => negations.has(word),
  }
}

const judges = Object.fromEntries(languages.map((language) => [language, createJudge(lexicons[language])])) as Record<
  Language,
  Judge
>

/** Sentiment of one message: -1, 0 or 1. */
function vote(text: string): number {
  const judged = text.slice(0, JUDGED_CHARACTERS)
  const language = guessLanguage(judged)
  if (language === null) return 0
  const judge = judges[language]
  // An apostrophe would split "don't" into meaningless words.
  const words = plainWords(judged.replace(/n['’]t\b/g, 'nt'))
  let score = 0
  let sinceNegation = Number.POSITIVE_INFINITY
  for (const word of words) {
    sinceNegation = judge.isNegation(word) ? 0 : sinceNegation + 1
    const weight = judge.weigh(word)
    score += sinceNegation <= NEGATION_REACH_WORDS ? -weight : weight
  }
  const isShortStatement = words.length <= SHORT_STATEMENT_WORDS && !judged.trimEnd().endsWith('?')
  return Math.abs(score) >= (isShortStatement ? 0.5 : 1) ? Math.sign(score) : 0
}

/** Overall mood of a user's messages; neutral when unsure. */
export function sentimentOf(messages: string[]): Sentiment {
  const votes = messages.map(vote).filter((vote) => vote !== 0)
  const sum = votes.reduce((total, vote) => total + vote, 0)
  // Mixed votes count as neutral.
  if (votes.length === 0 || Math.abs(sum) / votes.length < 0.5) return 'neutral'
  return sum > 0 ? 'positive' : 'negative'
}
