import type { Language } from '@mira/shared'
import { expect, test } from 'vitest'
import { agentWith, callerIn } from '../../../../../test/reminder-agent.ts'
import { createReminder, type ReminderTools } from './reminder.ts'

// now is 10:00 in Madrid
test.each<[Language, string, string, string]>([
  ['en', 'set a timer for 10 minutes', 'Timer', '10:10'],
  ['en', 'start a 1 hour 15 minute timer', 'Timer', '11:15'],
  ['en', '5 minute timer for the pizza', 'the pizza', '10:05'],
  ['en', 'wake me up at 7', 'Alarm', '07:00'],
  ['en', 'set my alarm for six tomorrow morning, please', 'Alarm', '06:00'],
  ['en', 'I need an alarm set for 8am tomorrow', 'Alarm', '08:00'],
  ['en', 'set an alarm to call mum at 5pm', 'call mum', '17:00'],
  ['de', 'Stelle einen Timer für 2 Stunden', 'Timer', '12:00'],
  ['de', 'Pizza Timer für 5 Minuten', 'Pizza', '10:05'],
  ['de', 'Stelle den Wecker auf 6:50 Uhr ein', 'Wecker', '06:50'],
  ['es', 'pon una alarma a las 7', 'Alarma', '07:00'],
  ['es', 'temporizador de 1 hora y 45 minutos', 'Temporizador', '11:45'],
  ['fr', 'Réveille-moi à 7 h', 'Alarme', '07:00'],
  ['fr', 'Mets un minuteur d’une heure', 'Minuteur', '11:00'],
  ['en', 'set a timer for twenty-five minutes', 'Timer', '10:25'],
  ['en', 'set a timer for forty-five minutes', 'Timer', '10:45'],
  ['en', 'set a timer for a quarter of an hour', 'Timer', '10:15'],
  ['en', 'set a timer for one and a half hours', 'Timer', '11:30'],
  ['en', 'set a timer for two and a half hours', 'Timer', '12:30'],
  ['en', 'set a timer for half an hour', 'Timer', '10:30'],
  ['en', 'twenty minute timer', 'Timer', '10:20'],
  ['de', 'zehn Minuten Timer', 'Timer', '10:10'],
  ['en', 'set a timer for two minutes and a half', 'Timer', '10:02'],
  ['en', 'set an alarm for twenty minutes', 'Alarm', '10:20'],
  ['fr', 'minuteur de vingt-cinq minutes', 'Minuteur', '10:25'],
  ['fr', 'minuteur de vingt minutes', 'Minuteur', '10:20'],
  ['fr', 'Mets un minuteur d’une demi-heure', 'Minuteur', '10:30'],
  ['fr', 'minuteur d’une heure et demie', 'Minuteur', '11:30'],
  ['es', 'temporizador de treinta y cinco minutos', 'Temporizador', '10:35'],
  ['es', 'temporizador de veinte minutos', 'Temporizador', '10:20'],
  ['es', 'temporizador de veinticinco minutos', 'Temporizador', '10:25'],
  ['es', 'pon un temporizador de una hora y veinticinco minutos', 'Temporizador', '11:25'],
  ['es', 'pon un temporizador de hora y media', 'Temporizador', '11:30'],
  ['es', 'pon un temporizador de media hora', 'Temporizador', '10:30'],
  ['de', 'Timer auf anderthalb Stunden', 'Timer', '11:30'],
  ['de', 'Stelle einen Timer auf eine halbe Stunde', 'Timer', '10:30'],
  ['de', 'Stelle einen Timer auf zwanzig Minuten', 'Timer', '10:20'],
  ['de', 'Timer für fünfundvierzig Minuten', 'Timer', '10:45'],
  ['en', 'wake me up at seven', 'Alarm', '07:00'],
  ['en', 'set an alarm for 3:15', 'Alarm', '03:15'],
  ['en', 'set alarm at 6:30 a.m', 'Alarm', '06:30'],
  ['es', 'pon una alarma a las 4:30', 'Alarma', '04:30'],
  ['en', 'wake me up at seven thirty', 'Alarm', '07:30'],
  ['en', 'wake me up at half past seven', 'Alarm', '07:30'],
  ['en', 'set an alarm for six thirty', 'Alarm', '06:30'],
  ['en', 'set an alarm for seven tomorrow', 'Alarm', '07:00'],
  ['en', 'set an alarm for quarter to seven', 'Alarm', '06:45'],
  ['en', 'set an alarm for ten past eight', 'Alarm', '08:10'],
  ['de', 'Stelle den Wecker auf halb acht', 'Wecker', '07:30'],
  ['de', 'Wecker auf sieben Uhr', 'Wecker', '07:00'],
  ['en', 'wake me up at 7 for school', 'school', '07:00'],
  ['en', 'wake me up at 7, please', 'Alarm', '07:00'],
  ['en', 'wake me up at 7 sharp', 'Alarm', '07:00'],
  ['en', "wake me up at 7 o'clock", 'Alarm', '07:00'],
  ['en', 'set an alarm for 7 to take my pills', 'take my pills', '07:00'],
  ['en', 'alarm at 7 for school', 'school', '07:00'],
  ['en', 'wake me up at 7, tomorrow', 'Alarm', '07:00'],
  ['en', 'wake me up at 7 this Friday', 'Alarm', '07:00'],
  ['en', 'set an alarm for six oh five', 'Alarm', '06:05'],
  ['en', 'set an alarm for 6-30', 'Alarm', '06:30'],
  ['en', 'set an alarm for 6.30', 'Alarm', '06:30'],
  ['fr', 'mets une alarme pour 7h', 'Alarme', '07:00'],
  ['fr', 'réveille-moi pour 7h', 'Alarme', '07:00'],
  ['fr', 'minuteur de vingt et une minutes', 'Minuteur', '10:21'],
  ['fr', 'minuteur de quarante et une minutes', 'Minuteur', '10:41'],
  ['es', 'temporizador de treinta y un minutos', 'Temporizador', '10:31'],
  ['es', 'temporizador de ciento veinte minutos', 'Temporizador', '12:00'],
  ['de', 'Timer für eine Stunde und 15 Minuten', 'Timer', '11:15'],
  ['en', 'set a 5-minute timer', 'Timer', '10:05'],
  ['en', 'set a timer for 4 pm', 'Timer', '16:00'],
  ['en', 'I would like you to set the timer to go off in ten minutes', 'Timer', '10:10'],
  ['en', 'make an alarm for the meeting at 7 today', 'the meeting', '19:00'],
  ['en', 'set an alarm for quarter after six', 'Alarm', '06:15'],
  ['es', 'temporizador en 5 minutos y 10 segundos', 'Temporizador', '10:05'],
  ['en', 'set a timer for 1h 30m', 'Timer', '11:30'],
  ['en', 'set an alarm for 7 to take 2 pills', 'take 2 pills', '07:00'],
  ['en', 'set a timer for 10 minutes for 2 eggs', '2 eggs', '10:10'],
  ['es', 'pon una alarma para las 7', 'Alarma', '07:00'],
  ['es', 'pon una alarma para las 7 de la tarde', 'Alarma', '19:00'],
  ['es', 'despiértame dentro de una hora y media', 'Alarma', '11:30'],
  ['de', 'Stell einen Wecker auf morgen früh um 6', 'Wecker', '06:00'],
  ['de', 'Wecker für 615 Uhr früh einstellen', 'Wecker', '06:15'],
  ['de', 'weck mich um sieben dreißig', 'Wecker', '07:30'],
  ['de', 'weck mich um 7 30 für die Schule', 'die Schule', '07:30'],
  ['es', 'despiértame a las siete treinta', 'Alarma', '07:30'],
  ['en', 'wake me up at seven thirty for school', 'school', '07:30'],
  ['en', 'set an alarm for 6.30pm', 'Alarm', '18:30'],
  ['en', 'set a timer for 1/2 hour', 'Timer', '10:30'],
  ['en', 'set a timer for 1 1/2 hours', 'Timer', '11:30'],
  ['en', 'set a timer for 1½ hours', 'Timer', '11:30'],
  ['en', 'set a timer for 3/4 of an hour', 'Timer', '10:45'],
  ['en', 'set a timer for ½ an hour', 'Timer', '10:30'],
  ['en', 'set a timer for an hour and ten', 'Timer', '11:10'],
  ['en', 'set a timer for an hour and ten for the roast', 'the roast', '11:10'],
  ['en', 'set a timer for an hour and a quarter', 'Timer', '11:15'],
  ['en', 'set a timer for two and a quarter hours', 'Timer', '12:15'],
  ['fr', 'mets un minuteur d’une heure et quart', 'Minuteur', '11:15'],
  ['fr', 'mets un minuteur de deux heures et quart', 'Minuteur', '12:15'],
  ['fr', 'mets un minuteur de deux heures moins le quart', 'Minuteur', '11:45'],
  ['fr', 'minuteur d’une heure dix', 'Minuteur', '11:10'],
  ['fr', 'réveille-moi à sept heures et demie', 'Alarme', '07:30'],
  ['fr', 'mets une alarme pour 7 heures et quart', 'Alarme', '07:15'],
  ['fr', 'réveille-moi lundi 7 heures et quart', 'Alarme', '07:15'],
  ['fr', 'réveille-moi demain matin 7 heures moins le quart', 'Alarme', '06:45'],
  ['fr', 'réveille-moi dans une heure et quart', 'Alarme', '11:15'],
  ['fr', 'chrono 10 min pâtes', 'pâtes', '10:10'],
  ['fr', 'chrono d’une heure', 'Minuteur', '11:00'],
  ['en', 'timer quarter hour', 'Timer', '10:15'],
  ['en', 'set a timer for an hour and thirty minutes', 'Timer', '11:30'],
  ['es', 'pon un temporizador de dos horas y cuarto', 'Temporizador', '12:15'],
  ['es', 'temporizador de una hora y diez', 'Temporizador', '11:10'],
  ['de', 'Timer auf zweieinhalb Stunden', 'Timer', '12:30'],
  ['de', 'Stelle einen Timer auf 1 1/2 Stunden', 'Timer', '11:30'],
  ['de', 'Timer für eine Stunde und zehn', 'Timer', '11:10'],
])('creates an alarm or timer in %s: %s', async (language, sentence, text, clock) => {
  const { agent, reminders } = agentWith()
  expect(agent.confidence(sentence, callerIn(language))).toBeGreaterThan(0.8)
  await agent.run(sentence, callerIn(language))
  const time = reminders[0]?.due_at.toLocaleTimeString('en-GB', { timeZone: 'Europe/Madrid', timeStyle: 'short' })
  expect([reminders[0]?.text, time]).toEqual([text, clock])
})

test.each([
  'the alarm for smoke went off',
  'what alarm clock should I buy',
  'remind me of the address of my workplace',
  'the timer function of the oven',
  'call me a taxi to the airport at 5am',
  'the 5 minute timer in the recipe',
  'photos with a 10 second timer',
  'Timer für 5 Minuten im Rezept',
  'oven timer set for 30 minutes in the recipe',
  'alarm in the house',
  'alarma de la casa',
  'despertador de Ana',
  'temporizador de cocina',
  'le réveil de la princesse',
  'Alarm in der Firma',
  'wake me up before you go go',
  'what does the manual say about timers',
  'check the smoke alarms',
  'list of alarms in the contract',
  'how many alarms are in the house',
  'show me photos of alarms',
  'tell me about the car alarms from the insurance letter',
  '¿qué dice el manual de las alarmas?',
  'zeige Fotos der Wecker',
  'montre-moi les photos des alarmes',
])('doesn’t take “%s” for a reminder', (sentence) => {
  expect(createReminder({ reminders: {} as ReminderTools }).confidence(sentence, callerIn('en'))).toBe(0)
})

test.each<[Language, string]>([
  ['en', 'set an alarm every day at 6:30'],
  ['de', 'stell den Wecker jeden Tag auf 6 Uhr 30'],
  ['es', 'pon una alarma todos los días a las 6:30'],
  ['fr', 'mets une alarme tous les jours à 6h30'],
  ['fr', 'mets un réveil tous les jours 6 heures et demie'],
])('creates a daily alarm in %s: %s', async (language, sentence) => {
  const { agent, reminders } = agentWith()
  expect(agent.confidence(sentence, callerIn(language))).toBeGreaterThan(0.8)
  await agent.run(sentence, callerIn(language))
  expect(reminders).toMatchObject([
    { text: expect.stringMatching(/^[AW]\p{L}+$/u), recurrence: { unit: 'day', time: '06:30' } },
  ])
})

test.each<[Language, string]>([
  ['en', 'cancel all alarms but the one at 7'],
  ['en', 'change my 7 am alarm to 8 am'],
  ['en', 'delete the reminder in 10 minutes'],
  ['en', "don't wake me up at 7"],
  ['es', 'no me despiertes a las 7'],
  ['de', 'lösche alle Wecker außer dem um 7'],
  ['es', 'borra todas las alarmas menos la de las 7'],
  ['fr', 'supprime toutes les alarmes sauf celle de 7h'],
])(
  'creates nothing for an unsupported change, even when the agent is called directly, in %s: %s',
  async (language, sentence) => {
    const { agent, reminders } = agentWith()
    await expect(agent.run(sentence, callerIn(language))).rejects.toMatchObject({ code: 'not_a_reminder' })
    expect(reminders).toEqual([])
  },
)

test.each([
  'I want to delete my alarm for 7 am tomorrow',
  "I'd like to cancel my 7 am alarm",
  'I need to stop the 10 minute timer',
  'I want to change my 7 am alarm to 8 am',
  'add 5 minutes to the timer',
  'make sure I hear the alarm at 7',
  'put out the trash before my alarm at 7',
  'I need to fix the alarm at 5pm',
  'put the timer on pause for 5 minutes',
])('doesn’t take “%s” for a request for an alarm or timer', (sentence) => {
  expect(agentWith().agent.confidence(sentence, callerIn('en'))).toBe(0)
})

test.each<[Language, string]>([
  ['en', 'set my 7 am alarm to 8 am'],
  ['en', 'set an alarm for 7 but not on weekends'],
  ['en', 'set an alarm for 7 every day except sunday'],
  ['de', 'Weck mich nicht um 7'],
  ['en', 'I want a new alarm clock for 20 dollars'],
  ['fr', 'je voudrais un réveil à 20 euros'],
  ['en', 'set a timer for 1:30 minutes'],
  // minutes and seconds, or hours and minutes: sixty times as long
  ['en', 'set a timer for 1:30'],
  ['de', 'Stelle einen Timer auf drei bis vier Minuten'],
  ['de', 'Stelle einen Timer auf 10 bis 15 Minuten'],
  ['fr', 'mets un minuteur de 10 à 15 minutes'],
  ['en', 'set a timer for 10 to 15 minutes'],
  ['en', 'set a timer for 5 minutes every hour'],
  ['de', 'Stelle zwei Timer auf 5 Minuten'],
  ['de', 'stelle den Timer um 5 Minuten vor'],
  ['de', 'Mach den Wecker um 7 aus'],
  ['de', 'Weck mich um 7 statt um 8'],
  ['es', 'pon una alarma a las 7 o a las 8'],
  ['es', 'pon una alarma a las 7 menos los domingos'],
  ['en', 'set an alarm for 7 unless it rains'],
  ['en', 'set an alarm for 7 to 8'],
  ['en', 'set a timer for an hour and ten eggs'],
  ['es', 'despiértame mañana 7 horas y cuarto'],
  ['es', 'pon una alarma de 7 a 8'],
])('doesn’t guess a time in %s: %s', async (language, sentence) => {
  const { agent, reminders } = agentWith()
  await expect(agent.run(sentence, callerIn(language))).rejects.toMatchObject({ code: 'no_time' })
  expect(reminders).toEqual([])
})
