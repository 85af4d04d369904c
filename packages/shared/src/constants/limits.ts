// Limits that server and web app share. Lengths are UTF-16 units, as forms count them.

export const MEBIBYTE = 1024 * 1024

// accounts
export const USERNAME_MAX_CHARACTERS = 64
export const EMAIL_MAX_CHARACTERS = 254
export const FULL_NAME_MAX_CHARACTERS = 120
export const PASSWORD_MIN_BYTES = 10
/** bcrypt ignores everything after 72 bytes, so longer passwords are refused. */
export const PASSWORD_MAX_BYTES = 72
/** Minimum for passwords set in the web app; the API accepts shorter ones from administrators' scripts. */
export const OWN_PASSWORD_MIN_CHARACTERS = 12
/** Limit of a password field; longer input isn't hashed. */
export const PASSWORD_FIELD_MAX_CHARACTERS = 1000
export const API_TOKEN_NAME_MAX_CHARACTERS = 80
export const USER_QUERY_MAX_CHARACTERS = 200

// chat
export const MESSAGE_MAX_CHARACTERS = 32_000
export const MESSAGE_MAX_IMAGES = 5
/** Alternative answers generated at once, to compare with an answer. */
export const MAX_COMPARED_ANSWERS = 3
/** Answers to one question that are listed. */
export const MAX_SHOWN_VERSIONS = 12
/** Mentions in one message: agents, tools, projects and tags. */
export const MESSAGE_MAX_MENTIONS = 8
/** Items of the library attached to one message. */
export const MESSAGE_MAX_MEDIA = 10
/** Largest picture of a message. */
export const IMAGE_MAX_BYTES = 8 * MEBIBYTE
/** Body limit of POST /chat/message: five images as base64 and the text. */
export const MESSAGE_BODY_MAX_BYTES = 57 * MEBIBYTE
export const SESSION_NAME_MAX_CHARACTERS = 120
export const SESSION_QUERY_MAX_CHARACTERS = 200
export const SESSION_MAX_TAGS = 20
/** Conversations changed or deleted by one request. */
export const MAX_SESSIONS_AT_ONCE = 500
/** Earlier messages sent along in a temporary conversation; an answer may be longer than a question. */
export const HISTORY_MAX_MESSAGES = 200
export const HISTORY_MESSAGE_MAX_CHARACTERS = 120_000

/** Limit of each of the two instruction texts. */
export const INSTRUCTIONS_MAX_CHARACTERS = 4000
export const FACT_MAX_CHARACTERS = 500
export const FACT_SOURCE_MAX_CHARACTERS = 120

// facts, prompts, personas and projects; MAX_FACTS and the next three are numbers per user
export const MAX_FACTS = 1000
export const MAX_PROMPTS = 500
export const MAX_PERSONAS = 100
export const MAX_PROJECTS = 200
export const PERSONA_NAME_MAX_CHARACTERS = 60
export const PERSONA_DESCRIPTION_MAX_CHARACTERS = 200
export const PERSONA_INSTRUCTIONS_MAX_CHARACTERS = 8000
export const PERSONA_MAX_TOOLS = 200
export const PERSONA_TOOL_NAME_MAX_CHARACTERS = 300
export const PERSONA_MAX_STARTERS = 6
export const PERSONA_STARTER_MAX_CHARACTERS = 200
/** Length of the data URL: about 40 kB of picture. */
export const PERSONA_PICTURE_MAX_CHARACTERS = 60_000
export const PROJECT_NAME_MAX_CHARACTERS = 80
export const PROJECT_INSTRUCTIONS_MAX_CHARACTERS = 8000
export const PROJECT_MAX_ITEMS = 100
export const PROJECT_SEARCH_MAX_CHARACTERS = 200
/** Saved prompts: the title, the command that inserts one, and the text. */
export const PROMPT_TITLE_MAX_CHARACTERS = 120
export const PROMPT_COMMAND_MAX_CHARACTERS = 40
export const PROMPT_TEXT_MAX_CHARACTERS = 16_000

// media
/** Largest file in a single request (POST /media/upload); administrators can lower it. */
export const UPLOAD_MAX_BYTES = 100 * MEBIBYTE
/** Largest video or recording, uploaded in parts: the default, and the maximum that administrators can set. */
export const LARGE_UPLOAD_DEFAULT_BYTES = 10 * 1024 * MEBIBYTE
export const LARGE_UPLOAD_MAX_BYTES = 100 * 1024 * MEBIBYTE
/** Lower than for videos and recordings, because parsers read a whole picture or document into memory. */
export const PICTURE_OR_DOCUMENT_MAX_BYTES = 500 * MEBIBYTE
/** Lifetime of a partial upload: hours since its last chunk, and days since its start. */
export const PARTIAL_UPLOAD_HOURS = 24
export const PARTIAL_UPLOAD_MAX_DAYS = 7
/** Unfinished uploads per user. */
export const MAX_PARTIAL_UPLOADS = 20
export const LIBRARY_QUERY_MAX_CHARACTERS = 500
export const TAG_MAX_CHARACTERS = 50
/** Items in one ZIP download; limited because their ids are in its URL. */
export const ARCHIVE_MAX_ITEMS = 300
export const NOTE_TITLE_MAX_CHARACTERS = 200
export const NOTE_MAX_CHARACTERS = 500_000
/** Body limit for notes: the text in its longest encoding, and the title. */
export const NOTE_BODY_MAX_BYTES = 4 * MEBIBYTE
export const PAGE_URL_MAX_CHARACTERS = 2000

// memory
/** Results of a search that requests no other number. */
export const SEARCH_DEFAULT_LIMIT = 20
/** Length to which texts in lists of the memory log are cut; exports have them in full. */
export const LOG_TEXT_CHARACTERS = 4000
export const LOG_QUERY_MAX_CHARACTERS = 1000

// effects
export const EFFECT_UPLOAD_MAX_BYTES = 50 * MEBIBYTE
export const INTENSITY_MIN = 0.1
export const INTENSITY_MAX = 2
export const INTENSITY_STEP = 0.1
export const INTENSITY_DEFAULT = 1
/** Instruction for a model that redraws a picture. */
export const RESTYLE_PROMPT_MAX_CHARACTERS = 1000

// agents, reminders, voice
export const AGENT_INPUT_MAX_CHARACTERS = 4000
export const REMINDER_TEXT_MAX_CHARACTERS = 500
/** Active reminders per user. */
export const MAX_ACTIVE_REMINDERS = 1000
/** Limits of a recording to transcribe. */
export const VOICE_MAX_BYTES = 25 * MEBIBYTE
export const VOICE_MAX_SECONDS = 600
/** Longest text read aloud by one request; longer texts are read in pieces. */
export const SPEAK_MAX_CHARACTERS = 4000

// administrators' settings
export const ASSISTANT_NAME_MAX_CHARACTERS = 40
export const MODEL_NAME_MAX_CHARACTERS = 200
export const CONNECTION_NAME_MAX_CHARACTERS = 80
export const CONNECTION_URL_MAX_CHARACTERS = 500
export const CONNECTION_KEY_MAX_CHARACTERS = 1000
export const CONNECTION_MAX_HEADERS = 20
/** Limited because the server regularly asks each connection for its models. */
export const MAX_CONNECTIONS = 30
export const MAX_NEWS_FEEDS = 50
export const FEED_TITLE_MAX_CHARACTERS = 100
export const FEED_URL_MAX_CHARACTERS = 500
export const UPLOAD_LIMIT_MIN_BYTES = 1 * MEBIBYTE
/** Days that a deleted account stays in the trash. */
export const ACCOUNT_TRASH_DAYS = 7
/** Ranges of retention settings: days, and the number of backups kept. Defaults: default-settings.ts. */
export const retentionBounds = {
  activity_days: { min: 7, max: 3650 },
  agent_run_days: { min: 1, max: 3650 },
  notification_days: { min: 1, max: 365 },
  automation_run_days: { min: 7, max: 3650 },
  audit_days: { min: 30, max: 3650 },
  trash_days: { min: 0, max: 365 },
  backups_kept: { min: 1, max: 100 },
} as const

/** Maximum length of the address to which backups are copied. */
export const OFFSITE_ADDRESS_MAX_CHARACTERS = 500
/** Maximum and default `limit` of lists that respond with a bare array and send the next page's cursor in a header. */
export const LIST_MAX = 1000

/** The year of the first photograph. */
export const EARLIEST_TAKEN_YEAR = 1826
/** Largest correction of capture times: two centuries. */
export const MAX_SHIFT_SECONDS = 200 * 366 * 86_400
