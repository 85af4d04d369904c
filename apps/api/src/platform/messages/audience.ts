import { AsyncLocalStorage } from 'node:async_hooks'
import type { CodedSentence } from '@mira/shared'
import { forUsers, type Sentence } from '../../sentences.ts'

const knowsSetup = new AsyncLocalStorage<boolean>()

/**
 * Runs `work`, including its async continuations, for a caller who may or may not see URLs of servers and names of
 * variables.
 */
export function runForCaller<Result>(mayKnowSetup: boolean, work: () => Result): Result {
  return knowsSetup.run(mayKnowSetup, work)
}

/** A sentence worded for the current caller; outside requests, for users. */
export function forCaller(sentence: Sentence): Sentence {
  return knowsSetup.getStore() === true ? sentence : forUsers(sentence)
}

/** A value whose texts with codes are worded for the current caller; outside requests, for users. */
export function forCallerIn<Value>(value: Value): Value {
  return knowsSetup.getStore() === true ? value : forUsersIn(value)
}

/** Text properties whose sentence codes are in the property `told`; those of any other text are in `<name>_told`. */
const TEXTS_OF_TOLD = ['reason', 'detail', 'error', 'content', 'text']
const SUFFIX = '_told'
/** Properties with values from users, models and other programs, which aren't reworded. */
const AS_WRITTEN = new Set(['arguments', 'details', 'metadata', 'parameters'])

/**
 * A value worded for users who aren't administrators: texts with codes are regenerated from them. Returns the same object
 * when nothing changes.
 */
export function forUsersIn<Value>(value: Value): Value {
  if (Array.isArray(value)) return (value.some(isObject) ? mapForUsers(value) : value) as Value
  if (!isObject(value) || !isPlain(value)) return value
  let copy: Record<string, unknown> | undefined
  const set = (name: string, one: unknown) => {
    if (one === value[name]) return
    copy ??= { ...value }
    copy[name] = one
  }
  for (const [name, one] of Object.entries(value)) {
    if (!isObject(one) || AS_WRITTEN.has(name)) continue
    if (!isCodes(one) || !(name === 'told' || name.endsWith(SUFFIX))) {
      set(name, forUsersIn(one))
      continue
    }
    const textName = textNameOf(value, name)
    const { text, sentences } = forUsers({
      text: textName === undefined ? '' : String(value[textName]),
      sentences: one,
    })
    set(name, sentences)
    if (textName !== undefined) set(textName, text)
  }
  return (copy ?? value) as Value
}

function textNameOf(value: Record<string, unknown>, name: string): string | undefined {
  const prefix = name.slice(0, -SUFFIX.length)
  const names = name === 'told' ? TEXTS_OF_TOLD : [prefix, `${prefix}_reason`]
  return names.find((one) => typeof value[one] === 'string')
}

/** Returns the same list when nothing changes. */
function mapForUsers<Item>(list: Item[]): Item[] {
  const after = list.map(forUsersIn)
  return after.every((item, index) => item === list[index]) ? list : after
}

function isCodes(value: object): value is CodedSentence[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one?.code === 'string' && one.params)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
