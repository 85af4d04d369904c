const extensions: Record<string, string> = { 'audio/webm': 'webm', 'audio/ogg': 'ogg', 'audio/mp4': 'm4a' }

/** File name of a voice note in local time: "Voice note 2026-11-20 19.50.webm". */
export function voiceNoteName(name: string, at: Date, contentType: string): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${name} ${day} ${two(at.getHours())}.${two(at.getMinutes())}.${extensions[contentType] ?? 'webm'}`
}
