import { expect, test } from 'vitest'
import { asWireTool } from './tool-schema.ts'

const plain = (parameters: Record<string, unknown>) =>
  asWireTool({ name: 'sort', description: 'Sorts.', parameters }) as { function: { parameters: unknown } }

const wrappers: [keyword: string, wrap: (schema: unknown) => Record<string, unknown>][] = [
  ...['additionalProperties', 'propertyNames', 'unevaluatedProperties', 'additionalItems', 'unevaluatedItems'],
  ...['contains', 'not', 'if', 'then', 'else', 'items'],
].map((keyword) => [keyword, (schema) => ({ [keyword]: schema })])
for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems'])
  wrappers.push([keyword, (schema) => ({ [keyword]: [schema] })])
for (const keyword of ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'])
  wrappers.push([keyword, (schema) => ({ [keyword]: { name: schema } })])

test.each(wrappers)('adds items to an array without them below %s', (_keyword, wrap) => {
  const { parameters } = plain({ type: 'object', properties: { groups: wrap({ type: 'array' }) } }).function
  expect(parameters).toEqual({ type: 'object', properties: { groups: wrap({ type: 'array', items: {} }) } })
})

test('keeps additionalProperties of true and false', () => {
  for (const additionalProperties of [true, false]) {
    expect(plain({ type: 'object', additionalProperties }).function.parameters).toMatchObject({ additionalProperties })
  }
})
