import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test.each([
  ['OPENAI_BASE_URL', 'http://', 'must be an address that begins with http:// or https://'],
  ['OPENAI_BASE_URL', 'http://models:port/v1', 'must be an address that begins with http:// or https://'],
  ['PUBLIC_URL', 'https://[mira', 'must be an address that begins with http:// or https://'],
  ...['https://example.org/mira', 'https://example.org/mira/', 'https://example.org/?a=1'].map((value) => [
    'PUBLIC_URL',
    value,
    'must be an address without a path: Mira needs a host of its own, such as https://mira.example.org',
  ]),
  [
    'DATABASE_URL',
    'postgresql://mira@database:port/mira',
    'must be an address that begins with postgresql:// (leave it out to use the embedded database)',
  ],
  ...['*', 'https://*.example.org', 'chat.example.org', 'https://chat.example.org/path', 'https://a.org b'].map(
    (value) => [
      'CORS_ORIGINS',
      value,
      'must be origins such as https://chat.example.org or app://obsidian.md, separated by commas, without * and paths',
    ],
  ),
  ...['http://feeds.lan', 'feeds.lan/rss', 'feeds.lan:port', 'a b', '*.lan'].map((value) => [
    'FETCH_ALLOWED_HOSTS',
    value,
    'must be hosts such as 192.168.1.20 or feeds.lan:8080, separated by commas',
  ]),
  ...['3.5', '65536', '-1', '0x10', 'eighty'].map((value) => ['PORT', value, 'must be a number from 0 to 65535']),
  ...['/srv/files', 'https://s3.example.org/files', 's3://'].map((value) => [
    'FILES_URL',
    value,
    'must be an address such as s3://bucket/prefix (leave it out to keep files in DATA_DIR)',
  ]),
  ['FILES_S3_ENCRYPTION', 'yes', 'must be AES256 or aws:kms'],
  ...['0', '1.5', '33'].map((value) => ['INGEST_CONCURRENCY', value, 'must be a number from 1 to 32']),
])('%s=%s is rejected with an explanation', (name = '', value, rule) => {
  expect(() => readConfig({ [name]: value })).toThrow(`The configuration is wrong: ${name} ${rule}.`)
})

test('FILES_URL stores files in S3, using the AWS variables, which have no effect without it', () => {
  const awsVariables = {
    AWS_ENDPOINT_URL: 'https://s3.example.org',
    AWS_ACCESS_KEY_ID: 'mira',
    AWS_SECRET_ACCESS_KEY: 'word',
  }
  expect(readConfig(awsVariables).fileStore.s3).toBeUndefined()
  expect(readConfig({ AWS_ACCESS_KEY_ID: 'mira' }).fileStore.s3).toBeUndefined()
  expect(readConfig({ ...awsVariables, FILES_URL: 's3://mira-files/home/', FILES_CACHE_MB: '100' }).fileStore).toEqual({
    s3: {
      ...{ bucket: 'mira-files', prefix: 'home/', endpoint: 'https://s3.example.org', region: 'us-east-1' },
      credentials: { accessKeyId: 'mira', secretAccessKey: 'word' },
      encryption: undefined,
    },
    cacheBytes: 100 * 1024 * 1024,
  })
  const withIamRole = readConfig({
    FILES_URL: 's3://mira-files',
    AWS_REGION: 'eu-west-3',
    FILES_S3_ENCRYPTION: 'aws:kms',
  })
  expect(withIamRole.fileStore.s3).toMatchObject({
    ...{ bucket: 'mira-files', prefix: '', region: 'eu-west-3', encryption: 'aws:kms' },
    ...{ endpoint: undefined, credentials: undefined },
  })
  expect(() => readConfig({ FILES_URL: 's3://mira-files', AWS_ACCESS_KEY_ID: 'mira' })).toThrow('or neither')
  expect(() => readConfig({ FILES_URL: 's3://mira-files', AWS_ENDPOINT_URL: 's3' })).toThrow('must begin with http')
})

test('valid addresses and origins are accepted and normalised', () => {
  const config = readConfig({
    DATABASE_URL: 'postgresql://mira:secret@/mira?host=/run/postgresql',
    CORS_ORIGINS:
      'https://Chat.example.org/, http://localhost:5173, app://obsidian.md, capacitor://localhost, ' +
      'chrome-extension://abcdefghijklmnop, moz-extension://0b1c',
    PUBLIC_URL: 'https://mira.example.org/',
    FETCH_ALLOWED_HOSTS: 'Feeds.lan:8080, 192.168.1.20,',
    TRUST_PROXY: 'true',
  })
  expect(config).toMatchObject({
    databaseUrl: 'postgresql://mira:secret@/mira?host=/run/postgresql',
    corsOrigins: [
      'https://chat.example.org',
      'http://localhost:5173',
      'app://obsidian.md',
      'capacitor://localhost',
      'chrome-extension://abcdefghijklmnop',
      'moz-extension://0b1c',
    ],
    publicUrl: 'https://mira.example.org',
    trustProxy: 1,
    web: {
      allowedHosts: ['feeds.lan:8080', '192.168.1.20'],
      weatherUrl: 'https://api.open-meteo.com',
      geocodingUrl: 'https://geocoding-api.open-meteo.com',
    },
  })
})

test('a server with a single role needs DATABASE_URL, which is the pooler when DATABASE_DIRECT_URL is set', () => {
  const DATABASE_URL = 'postgresql://mira@pooler:6432/mira'
  const DATABASE_DIRECT_URL = 'postgresql://mira@database:5432/mira'
  expect(readConfig({})).toMatchObject({ role: 'all', drainMs: 0, databasePoolerUrl: undefined })
  expect(readConfig({ ROLE: 'web', DATABASE_URL })).toMatchObject({
    role: 'web',
    drainMs: 20_000,
    databaseUrl: DATABASE_URL,
    databasePoolerUrl: undefined,
  })
  expect(readConfig({ DATABASE_URL, DATABASE_DIRECT_URL, DRAIN_SECONDS: '7' })).toMatchObject({
    drainMs: 7000,
    databaseUrl: DATABASE_DIRECT_URL,
    databasePoolerUrl: DATABASE_URL,
  })
  expect(() => readConfig({ ROLE: 'worker' })).toThrow(
    'The configuration is wrong: ROLE=worker needs a PostgreSQL server, named by DATABASE_URL. The embedded database ' +
      'belongs to a single process, so it only works with ROLE=all.',
  )
  expect(() => readConfig({ ROLE: 'half' })).toThrow('ROLE must be web, worker or all')
  expect(() => readConfig({ DATABASE_DIRECT_URL })).toThrow('only used together with DATABASE_URL')
})

test('OIDC_ISSUER without a scheme uses https', () => {
  const environment = { OIDC_CLIENT_ID: 'mira', PUBLIC_URL: 'https://mira.example.org' }
  const issuerOf = (OIDC_ISSUER: string) => readConfig({ ...environment, OIDC_ISSUER }).oidc?.issuer
  expect(issuerOf('accounts.google.com')).toBe('https://accounts.google.com')
  expect(issuerOf('http://id.lan/realm/')).toBe('http://id.lan/realm/')
})

test('a model server has 280 seconds until its first token, or MODEL_FIRST_WORD_SECONDS', () => {
  expect(readConfig({}).remoteAi.firstTokenTimeoutMs).toBe(280_000)
  expect(readConfig({ MODEL_FIRST_WORD_SECONDS: '900' }).remoteAi.firstTokenTimeoutMs).toBe(900_000)
})

test('secrets can be read from files, as containers provide them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mira-secrets-'))
  try {
    const file = join(folder, 'secret')
    const secret = 'a-secret-of-more-than-thirty-two-characters'
    writeFileSync(file, `${secret}\n`)
    const config = readConfig({ JWT_SECRET_FILE: file, ADMIN_PASSWORD_FILE: file, OPENAI_API_KEY_FILE: file })
    expect([config.jwtSecret, config.adminPassword, config.remoteAi.apiKey]).toEqual([secret, secret, secret])
    expect(() => readConfig({ JWT_SECRET_FILE: file, JWT_SECRET: secret })).toThrow('not both')
    expect(() => readConfig({ JWT_SECRET_FILE: join(folder, 'gone') })).toThrow('cannot be read')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each([
  ['postgresql://mira@database:5432/mira', 'postgresql://mira:p%40ss%2F1@database:5432/mira'],
  ['postgresql://mira@/mira?host=/run/postgresql', 'postgresql://mira:p%40ss%2F1@/mira?host=/run/postgresql'],
  ['postgres:///mira?host=/run/postgresql', 'postgres://:p%40ss%2F1@/mira?host=/run/postgresql'],
])('the password of DATABASE_PASSWORD_FILE is inserted into %s', (DATABASE_URL, databaseUrl) => {
  const folder = mkdtempSync(join(tmpdir(), 'mira-secrets-'))
  try {
    const file = join(folder, 'password')
    writeFileSync(file, 'p@ss/1\n')
    expect(readConfig({ DATABASE_URL, DATABASE_PASSWORD_FILE: file })).toMatchObject({ databaseUrl })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('lines of .env.example that are only uncommented set nothing but example addresses, even as docker compose reads them', () => {
  const example = readFileSync(resolve(import.meta.dirname, '../../../.env.example'), 'utf8')
  // Docker compose takes a comment after an empty value as the value.
  const environment = Object.fromEntries(
    [...example.matchAll(/^# ([A-Z_]+)= *(.*)$/gm)].map(([, name, value = '']) => [name, value.replace(/ +#.*$/, '')]),
  )
  expect(environment.JWT_SECRET).toMatch(/^# 32 or more/)
  const { publicUrl, remoteAi, ...rest } = readConfig(environment)
  const { publicUrl: _, remoteAi: defaultRemoteAi, ...defaults } = readConfig({})
  expect(rest).toEqual(defaults)
  expect({ ...remoteAi, baseUrl: undefined }).toEqual(defaultRemoteAi)
  expect(publicUrl).toBe('https://mira.example.org')
})
