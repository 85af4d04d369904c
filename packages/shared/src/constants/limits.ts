// What both sides hold people to. Sizes are bytes of what travels, lengths are UTF-16 units as a form counts them.

export const MEBIBYTE = 1024 * 1024

// accounts
export const USERNAME_MAX_CHARACTERS = 64
export const EMAIL_MAX_CHARACTERS = 254
export const FULL_NAME_MAX_CHARACTERS = 120
/** bcrypt reads no more than 72 bytes, so a longer password would promise more than it holds. */
export const PASSWORD_MIN_BYTES = 10
export const PASSWORD_MAX_BYTES = 72
/** Least length of a password wherever one is chosen in the web app; the API takes shorter ones of administrators' scripts. */
export const OWN_PASSWORD_MIN_CHARACTERS = 12
/** Longer ones are not even read. */
export const PASSWORD_FIELD_MAX_CHARACTERS = 1000
export const API_TOKEN_NAME_MAX_CHARACTERS = 80
export const USER_QUERY_MAX_CHARACTERS = 200

// chat
export const MESSAGE_MAX_CHARACTERS = 32_000
export const MESSAGE_MAX_IMAGES = 5
/** Answers that are made at once to be compared with one of a conversation. */
export const MAX_COMPARED_ANSWERS = 3
/** Answers to one question that are read together. */
export const MAX_SHOWN_VERSIONS = 12
/** Agents, projects and tags that one message names. */
export const MESSAGE_MAX_MENTIONS = 8
/** Items of the library that go with one message. */
export const MESSAGE_MAX_MEDIA = 10
/** Largest picture of a message. */
export const IMAGE_MAX_BYTES = 8 * MEBIBYTE
/** Body limit of POST /chat/message: five images as base64 and the text. */
export const MESSAGE_BODY_MAX_BYTES = 57 * MEBIBYTE
export const SESSION_NAME_MAX_CHARACTERS = 120
export const SESSION_QUERY_MAX_CHARACTERS = 200
export const SESSION_MAX_TAGS = 20
/** Conversations that are changed or deleted at once. */
export const MAX_SESSIONS_AT_ONCE = 500
/** Messages that a temporary conversation sends along, and the longest of them: an answer may be longer than a question. */
export const HISTORY_MAX_MESSAGES = 200
export const HISTORY_MESSAGE_MAX_CHARACTERS = 120_000

/** Limit of each of the two instruction texts. */
export const INSTRUCTIONS_MAX_CHARACTERS = 4000
export const FACT_MAX_CHARACTERS = 500
export const FACT_SOURCE_MAX_CHARACTERS = 120
/** Most remembered facts of one person. */
export const MAX_FACTS = 1000
/** Saved prompts of a person, and what each holds. */
export const MAX_PROMPTS = 500
export const MAX_PERSONAS = 100
export const PERSONA_NAME_MAX_CHARACTERS = 60
export const PERSONA_DESCRIPTION_MAX_CHARACTERS = 200
export const PERSONA_INSTRUCTIONS_MAX_CHARACTERS = 8000
export const PERSONA_MAX_TOOLS = 200
export const PERSONA_TOOL_NAME_MAX_CHARACTERS = 300
export const PERSONA_MAX_STARTERS = 6
export const PERSONA_STARTER_MAX_CHARACTERS = 200
/** Length of the data URL: about 40 kB of picture. */
export const PERSONA_PICTURE_MAX_CHARACTERS = 60_000
export const MAX_PROJECTS = 200
export const PROJECT_NAME_MAX_CHARACTERS = 80
export const PROJECT_INSTRUCTIONS_MAX_CHARACTERS = 8000
export const PROJECT_MAX_ITEMS = 100
export const PROJECT_SEARCH_MAX_CHARACTERS = 200
export const PROMPT_TITLE_MAX_CHARACTERS = 120
export const PROMPT_COMMAND_MAX_CHARACTERS = 40
export const PROMPT_TEXT_MAX_CHARACTERS = 16_000

// media
/** Largest file that comes in one piece, as of POST /media/upload; an administrator can allow less. */
export const UPLOAD_MAX_BYTES = 100 * MEBIBYTE
/** Largest film or recording, which comes in parts, until an administrator decides; and the most that one can allow. */
export const LARGE_UPLOAD_USUAL_BYTES = 10 * 1024 * MEBIBYTE
export const LARGE_UPLOAD_MAX_BYTES = 100 * 1024 * MEBIBYTE
/** Largest picture or document: readers of these hold all of it. */
export const STILL_UPLOAD_MAX_BYTES = 500 * MEBIBYTE
/** Lifetime of a partial upload: since its last chunk in hours, since its start in days. */
export const PARTIAL_UPLOAD_HOURS = 24
export const PARTIAL_UPLOAD_MAX_DAYS = 7
/** Most uploads of one person that are begun and not finished. */
export const MAX_PARTIAL_UPLOADS = 20
export const LIBRARY_QUERY_MAX_CHARACTERS = 500
export const TAG_MAX_CHARACTERS = 50
/** Items in one archive: an address holds them all. */
export const ARCHIVE_MAX_ITEMS = 300
export const NOTE_TITLE_MAX_CHARACTERS = 200
export const NOTE_MAX_CHARACTERS = 500_000
/** Body limit of what takes a note: its text in the longest encoding, and its title. */
export const NOTE_BODY_MAX_BYTES = 4 * MEBIBYTE
export const PAGE_URL_MAX_CHARACTERS = 2000

// memory
export const SEARCH_LIMIT = 20
/** Texts of an entry in a list of memory logs are cut to this; an export holds them whole. */
export const LOG_TEXT_CHARACTERS = 4000
export const LOG_QUERY_MAX_CHARACTERS = 1000

// effects
export const EFFECT_UPLOAD_MAX_BYTES = 50 * MEBIBYTE
export const INTENSITY_MIN = 0.1
export const INTENSITY_MAX = 2
export const INTENSITY_STEP = 0.1
export const INTENSITY_DEFAULT = 1
/** Words for a model that redraws a picture. */
export const PROMPT_MAX_CHARACTERS = 1000

// agents, reminders, voice
export const AGENT_INPUT_MAX_CHARACTERS = 4000
export const REMINDER_TEXT_MAX_CHARACTERS = 500
/** Most active reminders of one person. */
export const MAX_ACTIVE_REMINDERS = 1000
/** The largest recording that is written down, and the longest. */
export const VOICE_MAX_BYTES = 25 * MEBIBYTE
export const VOICE_MAX_SECONDS = 600
/** The longest text that is read aloud at once; longer ones are read in pieces. */
export const SPEAK_MAX_CHARACTERS = 4000

// what administrators decide
export const ASSISTANT_NAME_MAX_CHARACTERS = 40
export const MODEL_NAME_MAX_CHARACTERS = 200
export const CONNECTION_NAME_MAX_CHARACTERS = 80
export const CONNECTION_URL_MAX_CHARACTERS = 500
export const CONNECTION_KEY_MAX_CHARACTERS = 1000
export const CONNECTION_MAX_HEADERS = 20
/** More would be asked for their models all the time. */
export const MAX_CONNECTIONS = 30
export const MAX_NEWS_FEEDS = 50
export const FEED_TITLE_MAX_CHARACTERS = 100
export const FEED_URL_MAX_CHARACTERS = 500
export const UPLOAD_LIMIT_MIN_BYTES = 1 * MEBIBYTE
/** Days for which a deleted account can come back. */
export const ACCOUNT_TRASH_DAYS = 7
/** Ranges of retention settings: days, and number of archives. */
export const retentionBounds = {
  activity_days: { min: 7, max: 3650 },
  agent_run_days: { min: 1, max: 3650 },
  notification_days: { min: 1, max: 365 },
  automation_run_days: { min: 7, max: 3650 },
  audit_days: { min: 30, max: 3650 },
  trash_days: { min: 0, max: 365 },
  backups_kept: { min: 1, max: 100 },
} as const

/** Length of an off-site address, in characters. */
export const OFFSITE_ADDRESS_MAX_CHARACTERS = 500
/** Most rows of a list that is an array without a limit of its own. */
export const LIST_MAX = 1000

/** The year of the first photograph. */
export const EARLIEST_TAKEN_YEAR = 1826
/** Two centuries. */
export const MAX_SHIFT_SECONDS = 200 * 366 * 86_400
