import { z } from 'zod'

/** A sentence as a code with parameters, for translation. */
export const codedSentenceSchema = z.object({
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})
export type CodedSentence = z.infer<typeof codedSentenceSchema>

type Nothing = Record<string, never>
type OfModel = { model: string }
type OfServer = { address: string }
/** `kind` is picture, pdf, document or file; or named, with the name of one picture of several. */
type OfContent = { kind: string; name?: string }
/** `kind` is video or audio. */
type OfSound = { kind: string }
type Counted = { count: number }

/**
 * Parameters of each sentence, by code. Clients that don't know a code show the English text. In the catalogue every sentence
 * also has `audience`, admin or user: what tells of the setup is in its branch `admin`.
 */
export interface SentenceParams {
  // parts of the server
  database_silent: Nothing
  storage_unwritable: Nothing
  storage_silent: Nothing
  files_unavailable: Nothing
  proxy_untrusted: Nothing
  audit_broken: { at: string }
  storage_low: { megabytes: number }
  queue_stopped: Nothing
  queue_silent: Nothing
  no_worker: Nothing
  no_cage: Nothing
  no_cage_here: Nothing
  no_cage_held: Nothing
  no_parser_service: Nothing
  files_refused: Nothing
  read_unsandboxed: Nothing
  engine_hidden: Nothing
  reason_hidden: Nothing
  built_in_answers: Nothing
  no_agents: Nothing
  agents_failing: { names: string }
  // backups
  backup_no_room: { needed: number; free: number }
  backup_put_by_hand: { count: number; megabytes: number; name: string }
  backup_disk_full: Nothing
  backup_interrupted: { times: number }
  backup_failed: { said: string }
  backup_lacks_files: { count: number }
  update_backup_failed: { said: string }
  offsite_failed: { said: string }
  offsite_not_pruned: { said: string }
  proof_failed: { said: string }
  proof_no_room: { needed: number; free: number }
  proof_interrupted: { times: number }
  proof_timeout: { minutes: number }
  files_damaged: { count: number }
  files_given_up: { count: number }
  // imports
  /** `source` is one of importSources, without its hyphen. */
  import_other_source: { source: string }
  /** Follows it where the program is known whose export it is. */
  import_seems_of: { source: string }
  import_damaged: Nothing
  import_too_large: Nothing
  import_memory: Nothing
  import_encrypted: Nothing
  import_slow: Nothing
  import_failed: Nothing
  import_entry_unreadable: Nothing
  import_too_many: { max: number }
  import_picture_missing: Nothing
  import_picture_refused: { said: string }
  import_nested_archive: Nothing
  import_unsupported: Nothing
  import_entry_damaged: Nothing
  import_entry_too_large: Nothing
  import_nothing: Nothing
  import_server_empty: Nothing
  import_server_away: Nothing
  import_server_private: Nothing
  import_server_other: Nothing
  import_key_refused: Nothing
  import_key_rights: { permission: string }
  import_key_gone: Nothing
  // capabilities without an engine
  turned_off: Nothing
  passkeys_unnamed: Nothing
  totp_unreadable: Nothing
  none_may_run_here: Nothing
  server_wanted: Nothing
  not_connected: { capability: string; variable: string }
  nothing_compares_pictures: Nothing
  nothing_reranks: Nothing
  no_engine: Nothing
  no_films: Nothing
  no_ocr: Nothing
  ocr_failed: { said: string }
  // model servers
  server_waiting: OfServer
  not_listed: OfServer & { capability: string; variable: string }
  model_gone: OfServer & OfModel
  model_timeout: OfServer
  model_call_timeout: OfServer & { seconds: number }
  answer_cut_off: OfServer & { said: string }
  answer_broken_off: OfServer
  answer_ended_empty: OfServer
  answer_stopped: OfServer & { reason: string }
  answer_fell_silent: OfServer
  answer_not_begun: OfServer & { seconds: number }
  /** `cause` is a network error's code, empty when it told none. */
  model_unreachable: OfServer & { cause: string }
  answer_empty: OfModel
  answer_declined: OfModel
  answer_only_thoughts: OfModel
  answer_too_long: Nothing
  answer_failed: Nothing
  answer_without_database: Nothing
  tools_repeated: OfModel
  tools_unknown: OfModel
  tools_too_many: Nothing
  no_model_server: Nothing
  context_too_long: OfModel
  vision_unavailable: OfModel
  vision_not_connected: Nothing
  capability_missing: OfServer & OfModel & { capability: string; said: string; variable: string }
  model_key_refused: OfServer
  model_not_found: OfServer & OfModel & { variable: string }
  no_model_service: OfServer
  page_instead_of_models: OfServer
  connection_unreachable: OfServer & { name: string; cause: string }
  connection_key_refused: { name: string }
  mcp_timeout: { name: string }
  /** `cause` is a network error's code. */
  mcp_unreachable: { name: string; cause: string }
  mcp_refused: { name: string; said: string }
  mcp_broken: { name: string; said: string }
  mcp_stdio_off: { name: string }
  // searching the web; `cause` is a network error's code
  web_search_unreachable: { cause: string }
  web_search_away: Nothing
  web_search_timeout: Nothing
  web_search_key_refused: Nothing
  web_search_no_json: Nothing
  web_search_nothing: { query: string }
  web_search_odd: { status: number }
  // watched folders
  folder_outside: { path: string }
  /** `cause` is an error's code of the file system. */
  folder_unreadable: { path: string; cause: string }
  folder_no_root: Nothing
  connection_without_model: OfModel & { name: string }
  /** 0 seconds: it did not say when. */
  model_rate_limited: { seconds: number }
  model_rate_limited_long: { minutes: number }
  /** Status 0: there was none. */
  model_error: OfServer & { status: number; said: string }
  model_error_silent: OfServer & { status: number }
  // models on this machine
  local_downloading: OfModel & { percent: number }
  local_failed: OfModel & { said: string }
  local_waiting: OfModel
  local_model_damaged: OfModel & { said: string }
  local_model_slow: OfModel
  local_model_memory: OfModel & { megabytes: number }
  local_model_crashed: OfModel
  local_model_unstartable: OfModel
  local_model_busy: OfModel
  local_model_unloadable: OfModel & { said: string }
  local_model_failed: OfModel & { said: string }
  local_later: OfModel
  local_models_off: Nothing
  // what engines gave to a step
  caption_declined: OfModel
  caption_empty: OfServer
  speech_empty: OfServer
  picture_empty: OfServer
  local_order_useless: OfModel
  speech_too_long: Nothing
  editor_away: Nothing
  order_useless: OfServer & { said: string }
  vectors_useless: OfServer & { said: string }
  vectors_of_other_model: OfModel
  vectors_resized: OfModel & { now: number; before: number }
  text_refused: OfModel
  server_stops: Nothing
  nothing_describes: Nothing
  nothing_transcribes: Nothing
  nothing_reads: Nothing
  // what came of a file, and of single steps
  storage_full: Nothing
  disk_too_full: Nothing
  content_damaged: OfContent
  content_crashed: OfContent
  content_slow: OfContent
  content_memory: OfContent
  content_locked: OfContent
  content_unpacks: Nothing
  picture_damaged: OfContent & { said: string }
  picture_too_large: OfContent & { megapixels: number }
  picture_without_preview: OfContent
  picture_unknown_coding: OfContent
  no_picture: OfContent
  picture_of_type: OfContent & { type: string }
  /** `how` is slow, memory or damaged. */
  text_unreadable: { how: string }
  /** `kind` is picture, pdf, document, media, text or file. */
  reading_later: { kind: string }
  film_reader_missing: Nothing
  stream_missing: OfSound
  streams_missing: Nothing
  unplayable: { format: string }
  step_absent: Nothing
  step_slow: Nothing
  step_unexpected: Nothing
  step_interrupted: Nothing
  step_given_up: Nothing
  item_unread: Nothing
  /** Stored as text alone by an earlier version. */
  from_before: { said: string }
  caption_unwanted: Nothing
  text_unwanted: Nothing
  without_sound: OfSound
  without_moving_pictures: Nothing
  nothing_heard: OfSound
  plays_as_it_is: Nothing
  text_without_pages: Nothing
  nothing_to_embed: Nothing
  nothing_to_look_at: Nothing
  frames_unread: Counted
  pages_unread: Counted
  /** Followed by a sentence with the reason. */
  pages_without_text: Counted
  pictures_read: { count: number; read: number }
  pages_read: Counted & { read: number }
  long_until_page: { page: number }
  long_beginning: Nothing
  partly_damaged: Nothing
  long_characters: Counted
  pages_drawn: Counted & { drawn: number }
  cover_unshown: Nothing
  picture_partly_shown: Nothing
  motion_unplayed: Nothing
  // trials of engines; `fits` is yes or no
  trial_chat: { question: string; answer: string }
  trial_vision: { answer: string }
  trial_vision_doubt: Nothing
  trial_caption: { answer: string }
  trial_embedding: { fits: string; one: string; alike: string; other: string; near: number; far: number }
  trial_dimensions: { count: number }
  trial_rerank: { fits: string; question: string; answering: string; other: string }
  trial_image_embedding: { fits: string; near: number; far: number }
  trial_ocr: { answer: string }
  trial_silence: { seconds: number }
  trial_heard: { seconds: number; answer: string }
  trial_speech: { sentence: string; bytes: number; type: string }
  trial_image_edit: { width: number; height: number }
  trial_empty: Nothing
  trial_slow: { seconds: number }
  trial_failed: Nothing
  // runs of the automation
  run_given_up: { times: number }
  run_moved: Nothing
  run_slow: { seconds: number }
  run_slow_minutes: { minutes: number }
  run_cancelled: Nothing
  run_failed: Nothing
  run_found_damage: Nothing
  /** `kind` is text or image. */
  no_vectors: { kind: string }
  /** Followed by a sentence with the failure. */
  item_failed: { item: string }
  /** `how` is missing or changed. */
  file_damaged: { item: string; how: string }
  /** `what` is intents or tags; percentages of 0 to 100. */
  learnt: { what: string; examples: number; percent: number; others: number }
  learnt_before: { percent: number }
  learnt_first: Nothing
  learnt_kept: Nothing
  learnt_dropped: Nothing
  too_few_tags: Nothing
  dataset_built: { kept: number; found: number }
  training_forbidden: Nothing
  training_unconnected: Nothing
  training_too_few: { least: number }
  training_unknown: Nothing
  training_started: OfModel & { job: string }
  training_failed: { said: string }
  training_failed_silently: Nothing
  week_summed: { week: string; count: number }
}
export type SentenceCode = keyof SentenceParams
