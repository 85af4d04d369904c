import type { Instructions } from '@mira/shared'

/** The user's instructions and facts, as an answer uses them. */
export interface AboutPerson {
  instructions: Instructions
  /** Newest first. */
  facts: { text: string; createdAt: Date }[]
}

/** Most facts that are read for one answer; of these, those that fit are told. */
export const MAX_TOLD_FACTS = 200
/** Part of what a model holds that may be about the person, beside the conversation and the memory. */
const SHARE_OF_CONTEXT = 1 / 8
const CHARACTERS_PER_TOKEN = 3
const MAX_CHARACTERS = 12_000
/** Largest share of that for each of the two texts, so that the facts have room as well. */
const SHARE_OF_TEXT = 1 / 3

/**
 * Text about the user that precedes the conversation; empty when there is nothing. Unlike passages of the memory it is
 * written by the user, and only theirs.
 */
export function aboutText({ instructions, facts }: AboutPerson, contextTokens: number): string {
  const room = Math.min(MAX_CHARACTERS, Math.floor(contextTokens * CHARACTERS_PER_TOKEN * SHARE_OF_CONTEXT))
  const most = Math.floor(room * SHARE_OF_TEXT)
  const { about_me, how_to_answer, uses_facts } = instructions
  const texts = [
    about_me && `What the person says about themselves:\n${cut(about_me, most)}`,
    how_to_answer && `How the person wishes to be answered, wherever that fits:\n${cut(how_to_answer, most)}`,
  ].filter(Boolean)
  const told = uses_facts ? fittingFacts(facts, room - texts.join('').length) : []
  if (told.length > 0) {
    texts.push(
      [
        'What the person had you remember: their own statements, the newest first, each with the day on which it was kept. Use them where they matter, and do not recite them.',
        ...told,
      ].join('\n'),
    )
  }
  return texts.join('\n\n')
}

/** The newest facts that there is room for, a line each. */
function fittingFacts(facts: AboutPerson['facts'], room: number): string[] {
  const lines: string[] = []
  let left = room
  for (const { text, createdAt } of facts) {
    // quoted, so that one cannot pass for several, or for something else than a statement
    const line = `- ${createdAt.toISOString().slice(0, 10)}: ${JSON.stringify(text)}`
    left -= line.length
    if (left < 0) break
    lines.push(line)
  }
  return lines
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text
}
