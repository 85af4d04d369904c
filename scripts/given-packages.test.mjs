import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Packages that the product is built on by decision; a test that imports one isn't a use. Prisma's client is generated. */
const given = [
  ...['react', 'react-dom', 'react-router-dom', 'recharts', 'react-dropzone', 'vite', 'zod'],
  ...['fastify', '@fastify/multipart', '@fastify/jwt', '@fastify/static', 'prisma', '@prisma/adapter-pg', 'pgvector'],
  ...['openai', 'sharp', 'fluent-ffmpeg', 'pdf-parse', 'node-cron', 'bcrypt'],
]

test('the product uses each of the packages that it is built on', () => {
  const files = globSync(['apps/*/*.config.ts', '{apps,packages}/*/src/**/*.{ts,tsx}', 'prisma.config.ts'], {
    cwd: root,
  })
  const sources = files
    .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|fixture)\./.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
  const isUsed = (name) => sources.some((source) => new RegExp(`(?:from |import\\()'${name}[/']`).test(source))
  expect(given.filter((name) => !isUsed(name))).toEqual([])
})
