import { namesSetup, withoutSetup } from './constants/setup.ts'
import type { CodedSentence } from './sentences.ts'

/** Keys of texts with a machine-readable counterpart. */
const TEXT_KEYS = new Set(['error', 'reason', 'detail', 'content', 'message', 'unavailable', 'problem'])
const FAULT_KEYS = new Set(['error', 'reason', 'unavailable_reason', 'mode_reason', 'detail'])
const AN_ADDRESS = 'the configured address'
const ASK = 'Ask an administrator.'
const ASK_FIRST = 'Something has to be set up here first; ask an administrator.'
/** Keys with free-form values by users, models and other programs; these stay unchanged. */
const AS_WRITTEN = new Set(['arguments', 'details', 'metadata', 'parameters'])
/** Addresses of model servers, as the server's own sentences have them. */
const SERVER_AT = /\b[Ss]er(?:ver|vice)\b[^.]*? at https?:\/\//

/** The same value without what only administrators may know; what has nothing of it is given back as it is. */
export function withoutSetupIn<Value>(value: Value): Value {
  if (Array.isArray(value)) return (value.some(isObject) ? mapped(value, withoutSetupIn) : value) as Value
  if (!isObject(value) || !isPlain(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    const one = displayedValue(value, name)
    if (one === value[name]) continue
    copy ??= { ...value }
    copy[name] = one
  }
  return (copy ?? value) as Value
}

function displayedValue(value: Record<string, unknown>, name: string): unknown {
  const one = value[name]
  if (typeof one === 'string') return displayedText(value, name, one)
  if (!isObject(one) || AS_WRITTEN.has(name)) return one
  if (name.endsWith('told')) return isSentences(one) ? mapped(one, plainSentence) : mappedValues(one, withoutSetupOf)
  if (name === 'reasons') return mappedValues(one, (text) => (typeof text === 'string' ? plainText(text, true) : text))
  if (name === 'error' && isFault(one)) return unlessSameText(one)
  return withoutSetupIn(one)
}

function displayedText(value: Record<string, unknown>, name: string, text: string): string {
  const isFailedCall = name === 'summary' && value.state === 'failed' && 'call_id' in value
  // some errors have no codes
  if (isFailedCall || FAULT_KEYS.has(name)) return plainText(text, tellsAddress(value, name))
  return TEXT_KEYS.has(name) || `${name}_told` in value ? toldText(value, name, text) : text
}

/** A text that is the server's own only where its codes stand beside it. */
function toldText(value: Record<string, unknown>, name: string, text: string): string {
  return isSentences(besideOf(value, name)) ? plainText(text, tellsAddress(value, name)) : text
}

/** The codes of a text. */
function besideOf(value: Record<string, unknown>, name: string): unknown {
  return value[`${name}_told`] ?? (TEXT_KEYS.has(name) ? value.told : undefined)
}

function tellsAddress(value: Record<string, unknown>, name: string): boolean {
  const beside = besideOf(value, name)
  return isSentences(beside) && beside.some(({ params }) => 'address' in params)
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
const mayHoldSetup = (json: string) => /"(\w*told|\w*reasons?|error|detail)": ?["[{]|"state": ?"failed"/.test(json)

/** @param hasAddress whether an address of a server is known to stand in it. */
function plainText(text: string, hasAddress: boolean): string {
  if (!tellsSetup(text) && !(hasAddress && text.includes('://'))) return text
  const plain = withoutSetup(text, AN_ADDRESS)
  if (plain === text) return text
  if (plain === '') return ASK_FIRST
  return plain.includes('dministrator') ? plain : `${plain} ${ASK}`
}

const tellsSetup = (text: string) => namesSetup(text) || SERVER_AT.test(text)

/** An address and the name of a variable are left empty: clients have words for both. */
function plainSentence(sentence: CodedSentence): CodedSentence {
  const params = mappedValues(sentence.params, (value, name) => {
    if (name === 'address' || name === 'variable') return ''
    if (typeof value !== 'string') return value
    // what a model server says of itself may name where it is
    const isOfServer = tellsSetup(value) || ('address' in sentence.params && value.includes('://'))
    return isOfServer ? withoutSetup(value, AN_ADDRESS) : value
  })
  return params === sentence.params ? sentence : { code: sentence.code, params }
}

const withoutSetupOf = (one: unknown): unknown => (isSentences(one) ? mapped(one, plainSentence) : withoutSetupIn(one))

function isSentences(value: unknown): value is CodedSentence[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one?.code === 'string' && one.params)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** As the protocol of OpenAI tells of errors. */
const isFault = (value: object): value is { message: string } => 'message' in value && typeof value.message === 'string'

function unlessSameText<Fault extends { message: string }>(fault: Fault): Fault {
  const message = plainText(fault.message, false)
  return message === fault.message ? fault : { ...fault, message }
}

/** The list itself when nothing of it becomes something else. */
function mapped<Item>(list: Item[], change: (item: Item) => Item): Item[] {
  const after = list.map(change)
  return after.every((item, index) => item === list[index]) ? list : after
}

function mappedValues<Value>(
  values: Record<string, Value>,
  change: (value: Value, name: string) => Value,
): Record<string, Value> {
  const after = Object.entries(values).map(([name, value]): [string, Value] => [name, change(value, name)])
  return after.every(([name, one]) => one === values[name]) ? values : Object.fromEntries(after)
}
