/** Servers that many have, and where they answer by themselves. */
export const connectionPresets = [
  { id: 'ollama', name: 'Ollama', address: 'http://localhost:11434/v1' },
  { id: 'llama-cpp', name: 'llama.cpp', address: 'http://localhost:8080/v1' },
  { id: 'vllm', name: 'vLLM', address: 'http://localhost:8000/v1' },
  { id: 'lm-studio', name: 'LM Studio', address: 'http://localhost:1234/v1' },
  { id: 'openai', name: 'OpenAI', address: 'https://api.openai.com/v1' },
  { id: 'openrouter', name: 'OpenRouter', address: 'https://openrouter.ai/api/v1' },
  { id: 'anthropic', name: 'Anthropic', address: 'https://api.anthropic.com/v1' },
  { id: 'google', name: 'Google', address: 'https://generativelanguage.googleapis.com/v1beta/openai' },
] as const

/** Reads headers, one in each line; null when a line is none. */
export function readHeaders(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const headers = lines.map((line) => /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line))
  if (headers.includes(null)) return null
  return Object.fromEntries(headers.map((header) => [header?.[1] ?? '', header?.[2] ?? '']))
}
