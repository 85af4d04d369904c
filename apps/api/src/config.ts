import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { USERNAME_PATTERN } from '@mira/shared/constants/accounts'
import { USERNAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { z } from 'zod'
import {
  areHosts,
  areOrigins,
  asSentOrigin,
  databaseRule,
  hostsOf,
  hostsRule,
  isAtRoot,
  isDatabaseUrl,
  isHttpUrl,
  isTrustProxy,
  optionalText,
  originsOf,
  originsRule,
  readSyslog,
  readTrustProxy,
  rootRule,
  trustProxyRule,
  withPassword,
} from './config-addresses.ts'
import { fileStoreVariables, readFileStore } from './config-files.ts'
import { StartupError } from './errors.ts'
import type { SyslogTarget } from './platform/net/syslog.ts'
import type { FileStoreConfig } from './platform/storage/open-files.ts'

/** Default for web servers and workers, which container platforms kill after 30 seconds. */
const DRAIN_SECONDS = 20
const repositoryRoot = resolve(import.meta.dirname, '../../..')

/** Version from the root package.json. */
export const VERSION: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))).version

const httpUrl = optionalText.refine((text) => text === undefined || isHttpUrl(text), {
  error: 'must be an address that begins with http:// or https://',
})

/** Secrets from examples and tutorials: anyone who knows them could sign in as any user. */
const knownWeakSecrets = new Set(['secret', 'changeme', 'change-me', 'jwt_secret', 'supersecret', 'your-secret-key'])

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .trim()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a number from ${min} to ${max}`,
    })
    .transform(Number)

const databaseAddress = optionalText.refine((text) => text === undefined || isDatabaseUrl(text), {
  error: databaseRule,
})

const environmentSchema = z.object({
  ROLE: z.enum(['web', 'worker', 'all'], { error: 'must be web, worker or all' }).default('all'),
  DRAIN_SECONDS: wholeNumber(0, 3600).optional(),
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z.string().trim().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().trim().min(1).default('./data'),
  DATABASE_URL: databaseAddress,
  DATABASE_DIRECT_URL: databaseAddress,
  DATABASE_PASSWORD_FILE: optionalText,
  ADMIN_USERNAME: z
    .string()
    .trim()
    .normalize('NFC')
    .max(USERNAME_MAX_CHARACTERS)
    .regex(USERNAME_PATTERN, { error: 'may only contain letters, digits and . _ @ + -' })
    .default('admin'),
  ADMIN_PASSWORD: z
    .string()
    .transform((text) => text || undefined)
    .optional(),
  JWT_SECRET: optionalText.refine(
    (text) => text === undefined || (text.length >= 32 && !knownWeakSecrets.has(text.toLowerCase())),
    { error: 'must be at least 32 random characters (leave it out to have one generated)' },
  ),
  OPENAI_API_KEY: optionalText,
  OPENAI_BASE_URL: httpUrl,
  CHAT_MODEL: optionalText,
  VISION_MODEL: optionalText,
  EMBEDDING_MODEL: optionalText,
  RERANK_MODEL: optionalText,
  RERANK_BASE_URL: httpUrl,
  RERANK_API_KEY: optionalText,
  TRANSCRIPTION_MODEL: optionalText,
  SPEECH_MODEL: optionalText,
  IMAGE_MODEL: optionalText,
  MODEL_FIRST_WORD_SECONDS: wholeNumber(5, 3600).default(280),
  LOCAL_MODELS: z.enum(['auto', 'off'], { error: 'must be auto or off' }).default('auto'),
  MODELS_DIR: optionalText,
  MODELS_HUB_URL: httpUrl,
  ASSISTANT_NAME: z.string().trim().min(1).max(40, { error: 'must be at most 40 characters' }).default('Mira'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
  METRICS: z.enum(['token', 'open'], { error: 'must be token or open' }).default('token'),
  PUBLIC_URL: httpUrl.refine(isAtRoot, { error: rootRule }),
  // Google writes its issuer without a scheme, so https is added.
  OIDC_ISSUER: z.preprocess(
    (text) => (/^[\w-]+(\.[\w-]+)+(\/|$)/.test(String(text)) ? `https://${text}` : text),
    httpUrl,
  ),
  OIDC_CLIENT_ID: optionalText,
  OIDC_CLIENT_SECRET: optionalText,
  OIDC_NAME: z.string().trim().min(1).max(40, { error: 'must be at most 40 characters' }).default('OpenID Connect'),
  OIDC_SCOPES: z
    .string()
    .trim()
    .refine((text) => text.split(/\s+/).includes('openid'), { error: 'must contain openid' })
    .default('openid profile email'),
  OIDC_ADMIN_CLAIM: optionalText.refine((text) => text === undefined || /^[^=\s]+=\S.*$/.test(text), {
    error: 'must be a claim and its value, such as groups=mira-admins',
  }),
  OIDC_CREATES_ACCOUNTS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  TRUST_PROXY: z.string().trim().refine(isTrustProxy, { error: trustProxyRule }).default(''),
  CORS_ORIGINS: z.string().trim().refine(areOrigins, { error: originsRule }).default(''),
  FETCH_ALLOWED_HOSTS: z.string().trim().refine(areHosts, { error: hostsRule }).default(''),
  MCP_STDIO: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  WATCHED_FOLDERS_ROOT: optionalText,
  WEATHER_URL: httpUrl,
  GEOCODING_URL: httpUrl,
  PARSER_SOCKET: optionalText,
  PARSERS: z.enum(['auto', 'required'], { error: 'must be auto or required' }).default('auto'),
  BACKUP_DIR: optionalText,
  BACKUP_OFFSITE: optionalText,
  BACKUP_S3_ENDPOINT: httpUrl,
  BACKUP_S3_REGION: z.string().trim().min(1).default('us-east-1'),
  BACKUP_S3_ACCESS_KEY_ID: optionalText,
  BACKUP_S3_SECRET_ACCESS_KEY: optionalText,
  BACKUP_PASSPHRASE: optionalText.refine((text) => text === undefined || text.length >= 12, {
    error: 'must be at least 12 characters (leave it out for unencrypted backups)',
  }),
  AUDIT_SYSLOG: optionalText.refine((text) => text === undefined || readSyslog(text) !== undefined, {
    error: 'must be udp://host:514 or tcp://host:514',
  }),
  INGEST_CONCURRENCY: wholeNumber(1, 32).default(2),
  FILES_CACHE_MB: wholeNumber(100, 10_000_000).default(4096),
  ...fileStoreVariables,
})

type Environment = z.infer<typeof environmentSchema>

/** The OpenID Connect provider that the operator configured. */
interface OidcConfig {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  /** Label of the sign-in button. */
  name: string
  scopes: string
  /** Claim that makes a user an administrator, with the value it must equal or contain; null leaves roles to Mira. */
  adminClaim: { name: string; value: string } | null
  createsAccounts: boolean
  redirectUri: string
}

export type Role = 'web' | 'worker' | 'all'

/** Configuration from the environment, read once at start. Paths are absolute. */
export interface Config {
  /** `web` serves HTTP, `worker` runs jobs and schedules, `all` does both. */
  role: Role
  /** Longest time that a terminated server lets answers and jobs finish. */
  drainMs: number
  port: number
  host: string
  dataDir: string
  databaseUrl: string | undefined
  /** Address of a pooler in front of `databaseUrl`, used by everything that doesn't need its own database session. */
  databasePoolerUrl: string | undefined
  adminUsername: string
  adminPassword: string | undefined
  jwtSecret: string | undefined
  remoteAi: {
    baseUrl: string | undefined
    apiKey: string | undefined
    chatModel: string | undefined
    visionModel: string | undefined
    embeddingModel: string | undefined
    rerankModel: string | undefined
    /** Separate server for reranking; defaults to `baseUrl`. */
    rerankBaseUrl: string | undefined
    rerankApiKey: string | undefined
    transcriptionModel: string | undefined
    speechModel: string | undefined
    imageModel: string | undefined
    /** Longest wait for the first word of an answer. */
    firstTokenTimeoutMs: number
  }
  localModels: 'auto' | 'off'
  modelsDir: string
  /** Download source of local models. */
  modelsHubUrl: string
  assistantName: string
  logLevel: string
  /** Access to /api/metrics: `token` for administrators, `open` for everyone. */
  metrics: 'token' | 'open'
  publicUrl: string | undefined
  oidc: OidcConfig | null
  /** Proxies to trust: none (false), a number of hops, or a list of addresses. */
  trustProxy: false | number | string
  corsOrigins: string[]
  web: {
    /** Hosts (ports 80 and 443) or host:port that may be fetched even at private addresses. */
    allowedHosts: string[]
    weatherUrl: string
    geocodingUrl: string
  }
  ingestConcurrency: number
  /** Folder that watched folders must be in; undefined turns them off. */
  watchedFoldersRoot: string | undefined
  /** Allow MCP servers that run as programs on this machine. */
  mcpStdio: boolean
  /** Socket of a parser service; undefined to parse files on this machine. */
  parserSocket: string | undefined
  /** Refuse files when no sandbox is available for parsing them. */
  isSandboxRequired: boolean
  backupDir: string
  /** Encrypts backups; undefined leaves them readable. */
  backupPassphrase: string | undefined
  /** Receiver of audit entries, in addition to the database. */
  auditSyslog: SyslogTarget | undefined
  /** Address of the encrypted off-site copies until an administrator sets another address; empty for no copies. */
  backupOffsite: string
  /** Access to the S3 server that holds off-site copies of backups. */
  backupS3: {
    endpoint: string | undefined
    region: string
    accessKeyId: string | undefined
    secretAccessKey: string | undefined
  }
  fileStore: FileStoreConfig
  migrationsDir: string
  webDistDir: string
}

/** Inserts the password from a secret file into a database URL. */
function withPasswordFromFile(databaseUrl: string | undefined, file: string | undefined): string | undefined {
  if (databaseUrl === undefined || file === undefined) return databaseUrl
  try {
    return withPassword(databaseUrl, readFileSync(file, 'utf8').trim())
  } catch (error) {
    throw new StartupError(`DATABASE_PASSWORD_FILE ${file} cannot be read.`, { cause: error })
  }
}

/** @throws StartupError when the role or the direct address needs a database server and none is configured. */
function requireDatabaseFor({ ROLE: role, DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl }: Environment): void {
  if (url !== undefined) return
  if (role !== 'all') {
    throw new StartupError(
      `The configuration is wrong: ROLE=${role} needs a PostgreSQL server, named by DATABASE_URL. The embedded ` +
        'database belongs to a single process, so it only works with ROLE=all.',
    )
  }
  if (directUrl !== undefined)
    throw new StartupError('The configuration is wrong: DATABASE_DIRECT_URL is only used together with DATABASE_URL.')
}

/** @throws StartupError when only some of the sign-in provider's variables are set. */
function readOidc(env: Environment, publicUrl: string | undefined): OidcConfig | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = env
  if (issuer === undefined && clientId === undefined) return null
  if (issuer === undefined || clientId === undefined || publicUrl === undefined) {
    throw new StartupError(
      'The configuration is wrong: a sign-in provider needs OIDC_ISSUER, OIDC_CLIENT_ID and PUBLIC_URL, the address ' +
        'that it redirects users to.',
    )
  }
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(env.OIDC_ADMIN_CLAIM ?? '') ?? []
  return {
    issuer,
    clientId,
    clientSecret: env.OIDC_CLIENT_SECRET,
    name: env.OIDC_NAME,
    scopes: env.OIDC_SCOPES,
    adminClaim: name === '' ? null : { name, value },
    createsAccounts: env.OIDC_CREATES_ACCOUNTS === 'on',
    redirectUri: `${publicUrl}/login/oidc`,
  }
}

/** Variables that can also be set as NAME_FILE, the path of a file with the value, as containers pass secrets. */
const fileVariables =
  'JWT_SECRET ADMIN_PASSWORD OPENAI_API_KEY OIDC_CLIENT_SECRET DATABASE_URL DATABASE_DIRECT_URL BACKUP_PASSPHRASE BACKUP_S3_SECRET_ACCESS_KEY AWS_SECRET_ACCESS_KEY'.split(
    ' ',
  )

/** Sets variables from the files that their NAME_FILE names. */
function withSecretsFromFiles(environment: Record<string, string>): Record<string, string> {
  const secrets = fileVariables.flatMap((name): [string, string][] => {
    const file = environment[`${name}_FILE`]
    if (file === undefined) return []
    if (environment[name] !== undefined) throw new StartupError(`Set ${name} or ${name}_FILE, not both.`)
    try {
      return [[name, readFileSync(resolve(repositoryRoot, expandHome(file)), 'utf8').trim()]]
    } catch (error) {
      throw new StartupError(`${name}_FILE ${file} cannot be read.`, { cause: error })
    }
  })
  return { ...environment, ...Object.fromEntries(secrets) }
}

function expandHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
}

/** False for a comment, too: Docker Compose passes the comment in `NAME=   # purpose` as the value. As a secret, it would be public. */
function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '' && !/^\s*#(\s|$)/.test(value)
}

/**
 * Reads the configuration from environment variables; an empty value, or a comment alone, counts as not set.
 * @throws StartupError naming every invalid variable and its allowed values.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const setVariables = Object.entries(environment).filter((entry): entry is [string, string] => isSet(entry[1]))
  const result = environmentSchema.safeParse(withSecretsFromFiles(Object.fromEntries(setVariables)))
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
    throw new StartupError(`The configuration is wrong: ${problems.join('; ')}.`)
  }
  const env = result.data
  requireDatabaseFor(env)
  const dataDir = resolve(repositoryRoot, expandHome(env.DATA_DIR))
  const publicUrl = env.PUBLIC_URL?.replace(/(?<!\/)\/+$/, '')
  return {
    role: env.ROLE,
    drainMs: (env.DRAIN_SECONDS ?? (env.ROLE === 'all' ? 0 : DRAIN_SECONDS)) * 1000,
    port: env.PORT,
    host: env.HOST,
    dataDir,
    databaseUrl: withPasswordFromFile(env.DATABASE_DIRECT_URL ?? env.DATABASE_URL, env.DATABASE_PASSWORD_FILE),
    databasePoolerUrl: env.DATABASE_DIRECT_URL && withPasswordFromFile(env.DATABASE_URL, env.DATABASE_PASSWORD_FILE),
    adminUsername: env.ADMIN_USERNAME,
    adminPassword: env.ADMIN_PASSWORD,
    jwtSecret: env.JWT_SECRET,
    remoteAi: {
      baseUrl: env.OPENAI_BASE_URL,
      apiKey: env.OPENAI_API_KEY,
      chatModel: env.CHAT_MODEL,
      visionModel: env.VISION_MODEL,
      embeddingModel: env.EMBEDDING_MODEL,
      rerankModel: env.RERANK_MODEL,
      rerankBaseUrl: env.RERANK_BASE_URL,
      rerankApiKey: env.RERANK_API_KEY,
      transcriptionModel: env.TRANSCRIPTION_MODEL,
      speechModel: env.SPEECH_MODEL,
      imageModel: env.IMAGE_MODEL,
      firstTokenTimeoutMs: env.MODEL_FIRST_WORD_SECONDS * 1000,
    },
    localModels: env.LOCAL_MODELS,
    modelsHubUrl: env.MODELS_HUB_URL ?? 'https://huggingface.co',
    modelsDir: resolve(repositoryRoot, expandHome(env.MODELS_DIR ?? join(dataDir, 'models'))),
    assistantName: env.ASSISTANT_NAME,
    logLevel: env.LOG_LEVEL,
    metrics: env.METRICS,
    publicUrl,
    oidc: readOidc(env, publicUrl),
    trustProxy: readTrustProxy(env.TRUST_PROXY),
    corsOrigins: originsOf(env.CORS_ORIGINS).map(asSentOrigin),
    web: {
      allowedHosts: hostsOf(env.FETCH_ALLOWED_HOSTS),
      weatherUrl: env.WEATHER_URL ?? 'https://api.open-meteo.com',
      geocodingUrl: env.GEOCODING_URL ?? 'https://geocoding-api.open-meteo.com',
    },
    ingestConcurrency: env.INGEST_CONCURRENCY,
    watchedFoldersRoot: env.WATCHED_FOLDERS_ROOT && resolve(repositoryRoot, expandHome(env.WATCHED_FOLDERS_ROOT)),
    mcpStdio: env.MCP_STDIO === 'on',
    parserSocket: env.PARSER_SOCKET,
    isSandboxRequired: env.PARSERS === 'required',
    backupDir: resolve(repositoryRoot, expandHome(env.BACKUP_DIR ?? join(dataDir, 'backups'))),
    backupPassphrase: env.BACKUP_PASSPHRASE,
    auditSyslog: env.AUDIT_SYSLOG === undefined ? undefined : readSyslog(env.AUDIT_SYSLOG),
    backupOffsite: env.BACKUP_OFFSITE ?? '',
    backupS3: {
      endpoint: env.BACKUP_S3_ENDPOINT,
      region: env.BACKUP_S3_REGION,
      accessKeyId: env.BACKUP_S3_ACCESS_KEY_ID,
      secretAccessKey: env.BACKUP_S3_SECRET_ACCESS_KEY,
    },
    fileStore: readFileStore(env),
    migrationsDir: join(repositoryRoot, 'prisma/migrations'),
    webDistDir: join(repositoryRoot, 'apps/web/dist'),
  }
}
