/** The variables that `.env.example` has, and no other word that is written like one: services tell of errors in such words. */
const VARIABLE =
  /\b(?:(?:ADMIN|AUDIT|AWS|BACKUP|FILES|JWT|MCP|OIDC|OPENAI|RERANK|PARSERS?|PUBLIC|TRUST|MODELS?)_[A-Z_]+|[A-Z]+_MODEL|LOCAL_MODELS|ASSISTANT_NAME|CORS_ORIGINS|DATABASE_(?:DIRECT_URL|URL|PASSWORD_FILE)|DATA_DIR|DRAIN_SECONDS|FETCH_ALLOWED_HOSTS|(?:GEOCODING|WEATHER)_URL|INGEST_CONCURRENCY|LOG_LEVEL|MIRA_BIND|NODE_IMAGE|WATCHED_FOLDERS_ROOT)\b/

/** True when a sentence mentions an administrator's setting. */
export function namesSetup(text: string): boolean {
  return VARIABLE.test(text)
}

/**
 * Leaves out what only an administrator can use: sentences that name a variable of the server's environment. What is
 * missing is still said: an address gives way to words for it, a variable in brackets goes alone. Empty when nothing else was
 * said.
 */
export function withoutSetup(text: string, anAddress: string): string {
  return text
    .replace(/https?:\/\/[^\s,;)]*[^\s,;).:]/g, anAddress)
    .replace(/(?<!\s)\s*\(([A-Z]+(?:_[A-Z]+)+)\)/g, (bracketed, name: string) => (VARIABLE.test(name) ? '' : bracketed))
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
    .filter((sentence) => !VARIABLE.test(sentence))
    .join(' ')
}
