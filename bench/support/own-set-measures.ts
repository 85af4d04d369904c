import type { SearchResponseJson } from '@mira/shared'
import { type Mira, mapConcurrently } from './mira-client.ts'
import type { MockModelServer, PromptPassage } from './model-stand-in.ts'
import { mean } from './ranking-figures.ts'
import { type Document, type FollowUp, normalize, type OwnSet, type Phrase, type Question } from './retrieval-sets.ts'

const SEARCHES_AT_ONCE = 2
const MESSAGES_AT_ONCE = 4
const FEW = 5
/** Minimum share of a passage's words in a scan: text recognition makes mistakes. */
const READ_SHARE = 0.75
const SECONDS_OFF = 1
const DAY_MS = 86_400_000
/** Tolerance for days that start at different times in different time zones. */
const DAYS_OFF_MS = 1.05 * DAY_MS

/** Share of correctly answered questions of a kind. */
export interface Share {
  what: string
  count: number
  /** From 0 to 1. */
  share: number
  /** Questions that were not answered correctly. */
  missed: string[]
}

/** Test set and the systems under test. */
export interface OwnSetRun {
  mira: Mira
  model: MockModelServer
  set: OwnSet
  /** Thing ids by item id. */
  thingOf: Map<string, string>
}

function shareOf<One extends { id: string; text: string }>(
  what: string,
  all: One[],
  isRight: (one: One) => boolean,
): Share {
  const missed = all.filter((one) => !isRight(one))
  return {
    ...{ what, count: all.length },
    share: mean(all.map((one) => (missed.includes(one) ? 0 : 1))),
    missed: missed.map(({ id, text }) => `${id} ${text}`),
  }
}

async function askEach<One, Result>(all: One[], atOnce: number, ask: (one: One) => Promise<Result>) {
  const answers = await mapConcurrently(all, atOnce, ask)
  return new Map(all.map((one, index) => [one, answers[index]]))
}

/** True when the model's context contains the passage of a question. */
export function isInPrompt(question: Question, things: Document[], passages: string[]): boolean {
  const passage = normalize(question.passage ?? '')
  const isScan = things.some(({ id, kind }) => kind === 'scan' && question.gains.has(id))
  return passages.some((text) => {
    const contextText = normalize(text)
    if (!isScan) return contextText.includes(passage)
    const words = passage.split(' ')
    return words.filter((word) => contextText.includes(word)).length >= words.length * READ_SHARE
  })
}

const textsOf = (passages: PromptPassage[] = []) => passages.map(({ text }) => text)
const thingIdsOf = (response: SearchResponseJson | undefined, thingOf: Map<string, string>): string[] => [
  ...new Set((response?.results ?? []).map(({ media_id }) => thingOf.get(media_id) ?? media_id)),
]
const isAmong = (question: Question, ids: string[]) => ids.some((id) => question.gains.has(id))

/** Share of questions with the right result marked as found rather than perhaps. */
export function shareFound(
  questions: Question[],
  responses: SearchResponseJson[],
  thingOf: Map<string, string>,
): Share {
  const responseOf = new Map(questions.map((one, index) => [one, responses[index]]))
  return shareOf('questions: right thing told as found', questions, (one) => isFound(one, responseOf.get(one), thingOf))
}

function isFound(question: Question, response: SearchResponseJson | undefined, thingOf: Map<string, string>): boolean {
  const certain = (response?.results ?? []).filter(({ certainty }) => certainty === 'found')
  return certain.some(({ media_id }) => question.gains.has(thingOf.get(media_id) ?? ''))
}

/** Search quality beyond ranking: other scripts, exact and misspelt words, places, and things that don't exist. */
export async function measureSearches({ mira, set, thingOf }: OwnSetRun): Promise<Share[]> {
  const search = <One extends { text: string }>(all: One[]) =>
    askEach(all, SEARCHES_AT_ONCE, ({ text }) => mira.search(text))
  const scripts = await search(set.scripts)
  const sure = await search(set.exact)
  const nowhere = await search(set.unanswerable)
  const languages = [...new Set(set.scripts.map(({ language }) => language))]
  const ways = [...new Set(set.exact.map(({ way }) => way))]
  return [
    ...languages.flatMap((language) => {
      const all = set.scripts.filter((one) => one.language === language)
      return [1, FEW].map((max) =>
        shareOf(`${language}: ${max === 1 ? 'first' : 'in five'}`, all, (one) =>
          isAmong(one, thingIdsOf(scripts.get(one), thingOf).slice(0, max)),
        ),
      )
    }),
    ...ways.map((way) =>
      shareOf(
        `${way}: first`,
        set.exact.filter((one) => one.way === way),
        (one) => {
          const [first] = sure.get(one)?.results ?? []
          if (first === undefined || !one.gains.has(thingOf.get(first.media_id) ?? '')) return false
          const thing = set.things.find(({ id }) => one.gains.has(id))
          if (way === 'page') return first.page === pageOf(thing, one.passage)
          if (way !== 'second') return true
          const second = thing?.speech.find(({ text }) =>
            normalize(text).includes(normalize(one.passage ?? '')),
          )?.second
          return Math.abs((first.timestamp_seconds ?? Number.NaN) - (second ?? Number.NaN)) <= SECONDS_OFF
        },
      ),
    ),
    shareOf('other scripts: right thing told as found', set.scripts, (one) => isFound(one, scripts.get(one), thingOf)),
    shareOf('exact and the like: right thing told as found', set.exact, (one) => isFound(one, sure.get(one), thingOf)),
    ...[false, true].map((isNonsense) =>
      shareOf(
        isNonsense ? 'nonsense: nothing found' : 'nowhere: nothing found',
        set.unanswerable.filter((one) => one.isNonsense === isNonsense),
        (one) => (nowhere.get(one)?.results ?? []).every(({ certainty }) => certainty === 'perhaps'),
      ),
    ),
  ]
}

function pageOf(thing: Document | undefined, passage: string | null): number {
  return (thing?.pages.findIndex((page) => normalize(page).includes(normalize(passage ?? ''))) ?? -1) + 1
}

/** Memory passages sent to the model with questions, and with small talk that needs none. */
export async function measureMessages(run: OwnSetRun): Promise<Share[]> {
  const { mira, model, set } = run
  const sendMessage = async ({ text }: { text: string }): Promise<PromptPassage[]> => {
    const { sessionId } = await mira.sendMessage(text)
    await mira.deleteConversation(sessionId)
    return model.takePassages(text) ?? []
  }
  const passagesByQuestion = await askEach(set.questions, MESSAGES_AT_ONCE, sendMessage)
  const smallTalk = await askEach(set.smallTalk, MESSAGES_AT_ONCE, sendMessage)
  const isAboutConversation = (question: Question) =>
    set.things.some(({ id, kind }) => kind === 'chat' && question.gains.has(id))
  const hasPassage = (question: Question) => isInPrompt(question, set.things, textsOf(passagesByQuestion.get(question)))
  const followUps = await measureFollowUps(run)
  return [
    shareOf(
      'passage given',
      set.questions.filter((one) => !isAboutConversation(one)),
      hasPassage,
    ),
    shareOf('passage of a conversation given', set.questions.filter(isAboutConversation), hasPassage),
    ...followUps,
    shareOf('small talk left alone', set.smallTalk, (one) => smallTalk.get(one)?.length === 0),
  ]
}

const NONSENSE = 'Seven purple kettles whistle beneath the marmalade bridge at noon'

/** Follow-ups with a model that rewrites them well, and with one that answers nonsense. */
async function measureFollowUps({ mira, model, set }: OwnSetRun): Promise<Share[]> {
  const filenameOf = (question: Question) => set.things.find(({ id }) => question.gains.has(id))?.filename
  const shares: Share[] = []
  const rewrites: [string, (followUp: FollowUp) => string][] = [
    ['rewritten well', ({ turns, text }) => `${turns.at(-2)} ${text}`],
    ['rewritten as nonsense', () => NONSENSE],
  ]
  for (const [name, rewrite] of rewrites) {
    // one after the other: the model rewrites one at a time
    const passagesByQuestion = await askEach(set.followUps, 1, async (followUp) => {
      model.server.completionText = rewrite(followUp)
      await converse(mira, model, followUp)
      return model.takePassages(followUp.text) ?? []
    })
    const fromThing = (one: FollowUp) =>
      (passagesByQuestion.get(one) ?? []).some(({ file }) => file === filenameOf(one))
    const hasPassage = (one: FollowUp) => isInPrompt(one, set.things, textsOf(passagesByQuestion.get(one)))
    shares.push(shareOf(`follow-ups, ${name}: thing given`, set.followUps, fromThing))
    shares.push(shareOf(`follow-ups, ${name}: passage given`, set.followUps, hasPassage))
  }
  return shares
}

async function converse(mira: Mira, model: MockModelServer | null, { turns, text }: FollowUp) {
  let sessionId: string | undefined
  for (let index = 0; index < turns.length; index += 2) {
    const question = turns[index] ?? ''
    model?.answers.set(question, turns[index + 1] ?? '')
    sessionId = (await mira.sendMessage(question, sessionId)).sessionId
    model?.takePassages(question)
  }
  const answer = await mira.sendMessage(text, sessionId)
  await mira.deleteConversation(answer.sessionId)
  return answer
}

/** Follow-ups that the built-in engine answers, by the sources of the answers. */
export async function measureWithoutModel({ mira, set, thingOf }: Omit<OwnSetRun, 'model'>): Promise<Share[]> {
  await mira.setChatEngine('off')
  const answers = await askEach(set.followUps, 1, (followUp) => converse(mira, null, followUp))
  const sources = (one: FollowUp) => answers.get(one)?.sources ?? []
  const isFromThing = (one: FollowUp) =>
    isAmong(
      one,
      sources(one).map(({ media_id }) => thingOf.get(media_id) ?? ''),
    )
  return [shareOf('follow-ups, no model: thing among the sources', set.followUps, isFromThing)]
}

/** Share of understood phrases for times and kinds. */
export async function measurePhrases(mira: Mira, phrases: Phrase[]): Promise<Share[]> {
  const answers = await askEach(phrases, SEARCHES_AT_ONCE, ({ text, language }) => mira.search(text, language))
  const languages = [...new Set(phrases.map(({ language }) => language))]
  return languages.map((language) =>
    shareOf(
      `times and kinds: ${language}`,
      phrases.filter((one) => one.language === language),
      (one) => isUnderstood(one, answers.get(one)?.understood),
    ),
  )
}

function isUnderstood({ kinds, ranges }: Phrase, understood: SearchResponseJson['understood']): boolean {
  if (understood === undefined) return false
  const mediaTypes = (understood.media_types ?? []).toSorted().join()
  const isKind = kinds.some((one) => one.join() === mediaTypes)
  const isNear = (day: string | null, dayMs: number, actual: string | undefined) =>
    day === null
      ? actual === undefined
      : actual !== undefined && Math.abs(Date.parse(day) + dayMs - Date.parse(actual)) <= DAYS_OFF_MS
  return isKind && ranges.some(({ from, to }) => isNear(from, 0, understood.from) && isNear(to, DAY_MS, understood.to))
}
