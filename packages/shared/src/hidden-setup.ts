import type { CodedSentence } from './sentences.ts'
import { withoutSetup } from './words/setup.ts'

/** Where the text stands that is told in machine words beside it. */
const TEXT_KEYS = ['error', 'reason', 'detail', 'content', 'message', 'unavailable', 'problem']
const FAULT_KEYS = ['error', 'reason', 'unavailable_reason', 'mode_reason', 'detail']
const AN_ADDRESS = 'the address that is set'
const ASK = 'Ask an administrator.'
const ASK_FIRST = 'Something has to be set up here first; ask an administrator.'
/** Names of variables, and addresses of model servers, as the server's own sentences have them. */
const SETUP = /\b[A-Z]{2,}(_[A-Z]+)+\b|\b[Ss]er(?:ver|vice)\b[^.]*? at https?:\/\//

/** The same value without what only administrators may know; what has nothing of it is given back as it is. */
export function withoutSetupIn<Value>(value: Value): Value {
  if (Array.isArray(value)) return unlessSame(value, value.map(withoutSetupIn)) as Value
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value
  const names = Object.keys(value)
  const isTold = (name: string) => {
    const beside = value[`${name}_told`] ?? (TEXT_KEYS.includes(name) ? value.told : undefined)
    return isSentences(beside)
  }
  const shown = names.map((name) => {
    const one = value[name]
    if (name.endsWith('told') && isSentences(one)) return unlessSame(one, one.map(plainSentence))
    if (typeof one === 'string' && isTold(name)) return plainText(one, true)
    // some of what went wrong has no machine words
    if (typeof one === 'string' && FAULT_KEYS.includes(name)) return plainText(one, false)
    if (name === 'error' && isFault(one)) return unlessSameText(one)
    return withoutSetupIn(one)
  })
  if (shown.every((one, at) => one === value[names[at] as string])) return value
  return Object.fromEntries(shown.map((one, at) => [names[at], one])) as Value
}

/** The same for values that were written as JSON, each in a line with something before it: events of a stream. */
export function withoutSetupInLines(text: string): string {
  if (!mayHoldSetup(text)) return text
  return text.replace(/^(data: ?)(\{.*\})$/gm, (_line, lead: string, json: string) => lead + withoutSetupInJson(json))
}

/** The same for a value that was written as JSON. */
export function withoutSetupInJson(json: string): string {
  return mayHoldSetup(json) ? JSON.stringify(withoutSetupIn(JSON.parse(json))) : json
}

/** Pieces of an answer are many, and hardly one has anything to hide. */
const mayHoldSetup = (json: string) => /"(\w*told|\w*reason|error|detail)": ?["[{]/.test(json)

/** What the server says of something that went wrong. */
function plainText(text: string, isTold: boolean): string {
  if (!SETUP.test(text) && !(isTold && text.includes('://'))) return text
  const plain = withoutSetup(text, AN_ADDRESS)
  if (plain === text) return text
  if (plain === '') return ASK_FIRST
  return plain.includes('dministrator') ? plain : `${plain} ${ASK}`
}

/** An address and the name of a variable are left empty: clients have words for both. */
function plainSentence({ code, params }: CodedSentence): CodedSentence {
  const shown = Object.entries(params).map(([name, value]) => {
    if (name === 'address' || name === 'variable') return [name, '']
    return [name, typeof value === 'string' && SETUP.test(value) ? withoutSetup(value, AN_ADDRESS) : value]
  })
  return { code, params: Object.fromEntries(shown) }
}

function isSentences(value: unknown): value is CodedSentence[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one?.code === 'string' && one.params)
}

const isPlain = (value: object): value is Record<string, unknown> => {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** As the protocol of OpenAI tells of errors. */
const isFault = (value: unknown): value is { message: string } =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'

function unlessSameText<Fault extends { message: string }>(fault: Fault): Fault {
  const message = plainText(fault.message, false)
  return message === fault.message ? fault : { ...fault, message }
}

const unlessSame = <Item>(before: Item[], after: Item[]): Item[] =>
  after.every((one, at) => one === before[at]) ? before : after
