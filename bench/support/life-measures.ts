import { type FileToUpload, type Mira, mapConcurrently } from './mira-client.ts'
import type { MockModelServer } from './model-stand-in.ts'
import type { Share } from './own-set-measures.ts'
import { GIVEN, type Rankings } from './ranking-baselines.ts'
import { mean } from './ranking-figures.ts'
import { type Conversation, type LifeSet, normalize, type Question } from './retrieval-sets.ts'

const MESSAGES_AT_ONCE = 2
/** Characters of the beginning of a message that must be quoted; shorter messages than the minimum could be anywhere. */
const [QUOTED_CHARACTERS, MIN_MESSAGE_CHARACTERS] = [80, 20]

/** Conversations in Open WebUI's export format, each named after its id. */
export function conversationsAsFile(talks: Conversation[]): FileToUpload {
  const conversations = talks.map(({ id, day, messages }) => {
    const createdAt = Date.parse(day) / 1000
    const chat = { title: id, messages: messages.map((message) => ({ ...message, timestamp: createdAt })) }
    return { id, title: id, created_at: createdAt, updated_at: createdAt, chat }
  })
  return { filename: 'talks.json', type: 'application/json', content: Buffer.from(JSON.stringify(conversations)) }
}

/** Shares of questions for which a model receives evidence: records of the set, or earlier conversations. */
export async function measurePromptEvidence(
  { mira, model, set, rankings }: { mira: Mira; model: MockModelServer; set: LifeSet; rankings: Rankings },
  questions: Question[],
): Promise<Share[]> {
  const passages = await mapConcurrently(questions, MESSAGES_AT_ONCE, async ({ text }) => {
    const { sessionId } = await mira.sendMessage(text)
    await mira.deleteConversation(sessionId)
    return model.takePassages(text) ?? []
  })
  const passagesOf = new Map(questions.map((one, index) => [one, passages[index] ?? []]))
  const filesOf = new Map(
    questions.map((one) => [one, passagesOf.get(one)?.map(({ file = '' }) => file.replace(/\.txt$/, '')) ?? []]),
  )
  const quotesMessage = (question: Question) => {
    const quoted = normalize((passagesOf.get(question) ?? []).map(({ text = '' }) => text).join(' '))
    const messages = set.messagesOf?.get(question.id) ?? []
    return messages.some((message) => {
      const text = normalize(message)
      return text.length >= MIN_MESSAGE_CHARACTERS && quoted.includes(text.slice(0, QUOTED_CHARACTERS))
    })
  }
  const conversationsOf = ({ id }: Question) => set.conversationsOf.get(id) ?? []
  const [ofRecords, ofTalks] = [
    questions.filter(({ gains }) => gains.size > 0),
    questions.filter((one) => conversationsOf(one).length > 0),
  ]
  const share = (what: string, all: Question[], isRight: (one: Question) => boolean): Share => ({
    ...{ what, count: all.length, share: mean(all.map((one) => Number(isRight(one)))) },
    missed: all.filter((one) => !isRight(one)).map(({ id, text }) => `${id} ${text}`),
  })
  const baselineShares = [...rankings].map(([way, ranked]) =>
    share(`${way}: any record among the first ${GIVEN}`, ofRecords, (one) =>
      (ranked.get(one) ?? []).slice(0, GIVEN).some((id) => one.gains.has(id)),
    ),
  )
  return [
    share('in chat: any record given', ofRecords, (one) => (filesOf.get(one) ?? []).some((id) => one.gains.has(id))),
    share('in chat: any earlier talk given', ofTalks, (one) =>
      (filesOf.get(one) ?? []).some((id) => conversationsOf(one).includes(id)),
    ),
    ...(set.messagesOf === undefined
      ? []
      : [share('in chat: any message that answers it given', ofTalks, quotesMessage)]),
    share('in chat: any of both given', questions, (one) =>
      (filesOf.get(one) ?? []).some((id) => one.gains.has(id) || conversationsOf(one).includes(id)),
    ),
    ...baselineShares,
  ].filter(({ count }) => count > 0)
}
