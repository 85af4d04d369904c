import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { OpenApiDocument } from '../src/platform/http/openapi.ts'
import type { DocumentRoute } from './document-routes.ts'

type Json = Record<string, unknown>

/** A malicious request. */
export interface HostileRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string | Buffer
}

/** Strings that often break programs: too long, invalid Unicode, injections, strings that look like other types. */
const nastyTexts = [
  ...['', ' ', '\0', '\ud800', '\uffff', '\u202e', '\ufeff', '😀'.repeat(50), 'x'.repeat(70_000), '%', '\\', "'", '"'],
  ...[
    "' OR 1=1 --",
    '$1',
    `$${'{1+1}'}`,
    '{{7*7}}',
    '<script>alert(1)</script>',
    '../../etc/passwd',
    '..%2f..%2f',
    '%00',
  ],
  ...['-1', '0', 'NaN', '1e309', '9'.repeat(400), '0x10', 'true', 'null', '[]', '{}', '__proto__', 'constructor'],
  ...[
    'file:///etc/passwd',
    'http://127.0.0.1:1/',
    'javascript:alert(1)',
    '2026-02-31',
    '9999-12-31T23:59:59Z',
    '+',
    '(',
  ],
]
const nastyNumbers = [-1, 0, 0.1, -0.0, 1e21, -1e21, 2 ** 31, 2 ** 53, 2 ** 63, Number.MAX_VALUE, Number.MIN_VALUE]

const text = fc.oneof(
  fc.constantFrom(...nastyTexts),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 12 }),
)
const number = fc.oneof(fc.constantFrom(...nastyNumbers), fc.integer(), fc.double({ noNaN: true }))
const anything: fc.Arbitrary<unknown> = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.jsonValue(),
)

/** Generates values of a schema, with an occasional value that it doesn't allow. */
function valuesOf(schema: Json, document: OpenApiDocument, depth = 0): fc.Arbitrary<unknown> {
  const invalid = { arbitrary: anything, weight: 1 }
  const mostlyValid = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ arbitrary, weight: 4 }, invalid)
  if (depth > 6) return anything
  const { $ref, enum: choices, anyOf, oneOf, allOf, type, format } = schema
  if (typeof $ref === 'string') {
    const schemas = (document.components as { schemas: Record<string, Json> }).schemas
    return valuesOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, document, depth + 1)
  }
  if ('const' in schema) return mostlyValid(fc.constant(schema.const))
  if (Array.isArray(choices) && choices.length > 0) return mostlyValid(fc.constantFrom(...choices))
  const alternatives = (anyOf ?? oneOf ?? allOf) as Json[] | undefined
  if (alternatives) return fc.oneof(...alternatives.map((one) => valuesOf(one, document, depth + 1)))
  if (type === 'object') {
    const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>)
    const known = fc.record(
      Object.fromEntries(fields.map(([name, field]) => [name, valuesOf(field, document, depth + 1)])),
      { requiredKeys: [] },
    )
    const extra = fc.constant({ ...JSON.parse('{"__proto__": {"role": "admin"}}'), constructor: 1 })
    return mostlyValid(fc.oneof({ arbitrary: known, weight: 6 }, { arbitrary: extra, weight: 1 }))
  }
  if (type === 'array')
    return mostlyValid(fc.array(valuesOf((schema.items ?? {}) as Json, document, depth + 1), { maxLength: 6 }))
  if (type === 'boolean') return mostlyValid(fc.boolean())
  if (type === 'integer' || type === 'number') {
    const { minimum = 0, maximum = 100 } = schema as { minimum?: number; maximum?: number }
    return mostlyValid(fc.oneof(fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1), number))
  }
  if (format === 'uuid') return mostlyValid(fc.constantFrom(randomUUID(), '00000000-0000-0000-0000-000000000000'))
  if (format === 'date-time')
    return mostlyValid(fc.constantFrom('2026-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '+275760-09-13'))
  return mostlyValid(fc.oneof({ arbitrary: fc.string({ minLength: 1, maxLength: 20 }), weight: 3 }, text))
}

/** Material for hostile requests, in addition to schemas. */
interface Material {
  /** Damaged files. */
  files: fc.Arbitrary<Buffer>
  /** Paths of the route with ids of the caller's own resources. */
  ownPaths: readonly string[]
}

/** A file with the start of a format and random bytes after it. */
const fakeFile = fc
  .tuple(
    fc.constantFrom(
      ...['89504e470d0a1a0a0000000d49484452', 'ffd8ffe000104a464946', '47494638396101000100', '255044462d312e37', ''],
      ...[
        '504b0304140000000800',
        '000000186674797069736f6d',
        '494433030000000000',
        '52494646ffffffff57415645',
        '1f8b08',
      ],
      ...['52494646ffffffff57454250', '4d4d002a00000008', '000000206674797068656963', '664c614300000022', '3c737667'],
    ),
    fc.uint8Array({ maxLength: 300 }),
  )
  .map(([head, rest]) => Buffer.concat([Buffer.from(head, 'hex'), Buffer.from(rest)]))

/** Generates multipart bodies: fields of the form, files instead of fields and vice versa, and truncated bodies. */
function formOf(
  schema: Json,
  document: OpenApiDocument,
  files: fc.Arbitrary<Buffer>,
): fc.Arbitrary<Pick<HostileRequest, 'headers' | 'body'>> {
  const brokenFile = fc.oneof(fakeFile, files)
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  const part = fc.oneof(
    ...fields.map(([name, field]) =>
      fc.tuple(
        fc.constant(name),
        fc.oneof(
          brokenFile,
          valuesOf(field, document).map((value) => Buffer.from(String(value).slice(0, 5000))),
        ),
        fc.boolean(),
      ),
    ),
    fc.tuple(
      text.map((name) => name.replace(/[\r\n"]/g, '').slice(0, 300)),
      brokenFile,
      fc.boolean(),
    ),
  )
  return fc.tuple(fc.array(part, { maxLength: 5 }), fc.boolean()).map(([parts, isComplete]) => {
    const pieces = parts.flatMap(([name, content, isFile]) => [
      Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="a.png"' : ''}\r\n\r\n`),
      ...[content, Buffer.from('\r\n')],
    ])
    const body = Buffer.concat([...pieces, Buffer.from(isComplete ? '--x--\r\n' : '--x')])
    return { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body }
  })
}

/** Generates hostile requests to a route from its description in the OpenAPI document. */
export function hostileRequestsOf(
  route: DocumentRoute,
  document: OpenApiDocument,
  { files, ownPaths }: Material,
): fc.Arbitrary<HostileRequest> {
  const query = route.parameters.filter((one) => one.in === 'query')
  const pathText = fc.oneof(fc.constant(randomUUID()), fc.constant(randomUUID()), text)
  const generatedPath = fc.array(pathText, { minLength: 4, maxLength: 4 }).map((ids) => {
    let index = 0
    return route.path.replace(/\{\w+\}/g, () => encodeURIComponent(ids[index++]?.toWellFormed().slice(0, 2000) ?? ''))
  })
  const url = fc
    .tuple(
      ownPaths.length === 0 ? generatedPath : fc.oneof(generatedPath, fc.constantFrom(...ownPaths)),
      fc.record(Object.fromEntries(query.map(({ name, schema }) => [name, valuesOf(schema, document)])), {
        requiredKeys: [],
      }),
    )
    .map(([path, values]) => {
      const pairs = Object.entries(values).flatMap(([name, value]) =>
        [value].flat().map((one) => `${name}=${encodeURIComponent(String(one).toWellFormed().slice(0, 2000))}`),
      )
      return pairs.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`
    })
  const noBody = fc.constant<Pick<HostileRequest, 'headers' | 'body'>>({ headers: {} })
  return fc.tuple(url, bodyOf(route, document, files) ?? noBody).map(([address, headersAndBody]) => ({
    ...{ method: route.method, url: address },
    ...headersAndBody,
  }))
}

function bodyOf({ method, body }: DocumentRoute, document: OpenApiDocument, files: fc.Arbitrary<Buffer>) {
  if (method === 'GET' || method === 'HEAD' || body === null) return null
  if (body.type.startsWith('multipart/')) return formOf(body.schema, document, files)
  const headers = { 'content-type': body.type }
  const completeJson = valuesOf(body.schema, document).map((value) => JSON.stringify(value) ?? 'null')
  const truncatedJson = completeJson.map((json) => json.slice(0, -1))
  return fc
    .oneof({ arbitrary: completeJson, weight: 12 }, { arbitrary: truncatedJson, weight: 1 })
    .map((json) => ({ headers, body: json }))
}
