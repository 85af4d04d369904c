import type { TimeWords } from '../time-words.ts'

const englishFunctionWords =
  'a|an|the|my|our|his|her|their|your|its|i|we|you|he|she|it|they|who|whom|what|when|where|which|why|how|that|this|and|or|but|with|without|in|on|at|from|to|for|by|about|near|under|over|into|out|up|down|is|are|was|were|has|have|had|do|did|does|can|could|would|will|so|because|while|as|if|then|there|here|showing|taken|made|recorded|filmed|shot|uploaded|sent|said|came|went|saw|got|bought|took|again|only|between|before|after|morning|afternoon|evening|night'

export const englishTimes: TimeWords = {
  months: 'january february march april may june july august september october november december'.split(' '),
  shortMonths: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sept?', 'oct', 'nov', 'dec'],
  weekdays: 'monday tuesday wednesday thursday friday saturday sunday'.split(' '),
  partOfWeekday: '(?: (?:morning|afternoon|evening|night))?',
  seasons: {
    spring: 'spring',
    summer: 'summer(?: holidays?| vacation| break)?',
    autumn: 'autumn|fall',
    winter: 'winter',
  },
  holidays: {
    // before the whole of it, whose name they begin with
    christmasEve: '(?:christmas|xmas) eve',
    christmasDay: '(?:christmas|xmas) day',
    secondChristmasDay: 'boxing day',
    christmas: 'christmas(?: time)?|xmas',
    newYearsEve: "new year'?s eve",
    newYear: "new year(?:'?s(?: day)?)?",
    epiphany: 'epiphany',
    valentine: "valentine'?s day",
    easter: 'easter(?: holidays?| break| sunday| monday| weekend)?',
    pentecost: 'pentecost|whitsun',
    halloween: 'halloween',
    advent: 'advent',
    carnival: 'carnival',
    saintNicholas: "(?:st\\.?|saint) nicholas(?:'s?)? day",
    fourthOfJuly: '(?:the )?fourth of july|independence day',
    secondSundayOfMay: "mother'?s'? day",
    thirdSundayOfJune: "father'?s'? day",

    thanksgiving: 'thanksgiving',
  },
  weekend: 'weekend',
  units: { hour: 'hours?', day: 'days?', week: 'weeks?', month: 'months?', year: 'years?' },
  numbers:
    'an?|one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
      ' ',
    ),
  ranks: ['first', 'second', 'third', 'fourth', 'last|final'],
  pieces: { week: 'week', weekend: 'weekend', half: 'half', quarter: 'quarter' },
  decades: 'twenties thirties forties fifties sixties seventies eighties nineties'.split(' '),
  parts: {
    begin: 'early(?: in)?|(?:the )?(?:beginning|start|first days) of',
    middle: 'mid-?|(?:the )?middle of',
    end: 'late(?: in)?|(?:the )?(?:end|last days) of',
  },
  ordinal: '(?:st|nd|rd|th)?',
  first: 'first',
  points: {
    today: ['(?<!usa )today', 'this (?:morning|afternoon|evening)', 'tonight', 'earlier today'],
    yesterday: ['yesterday(?: (?:morning|afternoon|evening))?'],
    dayBeforeYesterday: ['(?:the )?day before yesterday'],
    lastNight: ['last night', 'yesterday night'],
    partOfThisUnit: ['{part} (?:the|this) {unit}'],
    partOfLastUnit: ['{part} (?:the )?(?:last|previous) {unit}'],
    timeLastYear: ['(?:around |about )?this time last year'],
    dayYearsAgo: [
      '(?:exactly )?(?:an?|one) year ago',
      '(?:exactly )?{n} years? ago today',
      '(?:on )?(?:this|the same) (?:very )?day,? {n} years? ago',
      'today,? {n} years? ago',
      '(?:today|on this day|(?:on )?th(?:is|e same) (?:very )?day),? last year',
      'last year,? (?:today|on (?:this|the same) day)',
    ],
    turnOfYear: [
      '(?:over|during|around|in) the (?:christmas |festive |winter )?(?:holidays|holiday season|festive season)(?:,? (?:of |in )?{year})?',
      '(?:over|during) the (?:christmas|winter) break(?:,? (?:of |in )?{year})?',
      '(?:over|during) (?:the )?christmas holidays(?:,? (?:of |in )?{year})?',
    ],
    namedAgo: ['{n} {named}(?:e?s)? ago'],
    namedBeforeLast: ['(?:the )?{named} before last'],
    aroundNamed: ['(?:some(?:time|where) )?around {named}(?:,? (?:of |in )?{year})?'],
    pieceOfMonth: ['(?:in |on |during |over )?(?:the )?{rank} {piece} (?:of|in) {month}(?:,?(?: of)? {year})?'],
    pieceOfYear: ['(?:in |during )?(?:the )?{rank} {piece} of {year}', 'q{quarter},? {year}', '{year},? q{quarter}'],
    thisUnit: ['(?:earlier |later )?this {unit}'],
    lastUnit: ['(?:sometime |early |late )?last {unit}', '(?:the )?previous {unit}'],
    // the moon has one, too
    lastQuarter: ['(?:the )?(?:last|previous) quarter(?![ -](?:of|moons?|finals?|miles?|pounders?|horses?)\\b)'],
    weekdayOfLastWeek: ['(?:on )?{namedWeekday} (?:of )?last week', 'last week,? (?:on )?{namedWeekday}'],
    unitBeforeLast: ['(?:the )?{unit} before last'],
    pastUnits: [
      '(?:the )?(?:last|past) (?<half>half(?: a)? year)',
      '(?:the )?(?:last|past) (?:few|couple of) {unit}',
      '(?:the )?(?:last|past) {n} {unit}',
      '(?:the )?past {unit}',
    ],
    unitsAgo: [
      '(?:about |around |some |roughly )?{n} {unit} (?:ago|back)',
      '(?:about )?(?<half>half a year) ago',
      '(?:about )?(?<fortnight>a fortnight) ago',
    ],
    fewUnitsAgo: ['(?:a )?(?:few|couple of|couple) {unit} (?:ago|back)'],
    recently: ['recently', 'lately', '(?:the )?other (?:day|week)'],
    lastNamed: ['last {named}', '(?:this )?past {named}', '(?:the )?previous {named}'],
    thisNamed: ['this {named}'],
    namedOfYear: ['{named},?(?: of| in)? {year}{span}', '{shortMonth}\\.? {year}', '{year}(?: in)? {named}'],
    named: ['{named}'],
    partOfMonth: ['{part}[\\s-]+{month}(?:,?(?: of)? {year})?'],
    partOfYear: ['{part}[\\s-]+{year}'],
    date: [
      '(?:{weekday},? )?(?:the )?{day} (?:of )?{shortMonth}\\.?(?:,? {year})?',
      '(?:{weekday},? )?{shortMonth}\\.? (?:the )?{day}(?:,? {year})?',
    ],
    // others may be either way round
    numericDay: [
      '(?!24/7)(?=\\d{1,2}/(?:1[3-9]|[23]\\d)|(?:1[3-9]|[23]\\d)/)(?<dayNumber>\\d{1,2})/(?<monthNumber>\\d{1,2})(?:/(?<shortYear>\\d\\d))?(?!/)',
    ],
    dayRange: [
      '(?:from |between )?(?:the )?{firstDay}(?:\\s*[-–—]\\s*| to | until | till | through | and )(?:the )?{day} (?:of )?{shortMonth}\\.?(?:,? {year})?',
      '(?:from |between )?{shortMonth}\\.? (?:the )?{firstDay}(?:\\s*[-–—]\\s*| to | until | till | through )(?:the )?{day}(?:,? {year})?',
    ],
    monthRange: [
      '{firstMonth}(?:\\s*[-–—/]\\s*| to | until | till | through ){month}(?:,?(?: of| in)? {year})?',
      '{firstMonth} (?:and|or) {month},?(?: of| in)? {year}',
      '(?:in|during) {firstMonth} (?:and|or) {month}(?:,?(?: of| in)? {year})?',
    ],
    year: ['{year}'],
    decade: ['(?:the )?{decade}s', '(?:the )?{decadeWord}'],
  },
  within: '(?:sometime |back )?(?:from|in|on|of|during|over|at|within)(?: the)?(?: (?:month|year) of)?',
  needed: {
    month: '(?:in|from|during|through|throughout|over)(?: the month of)?',
    season: '(?:in|from|during|over|through|throughout|all)(?: the)?',
    holiday: '(?:at|on|from|over|during)(?: the)?',
    weekday: '(?:on|from)(?: the)?',
    weekend: '(?:on|from|at|over|during) the',
    year: '(?:in|from|during|throughout)(?: the year)?',
    decade: '(?:in|from|during)(?: the)?',
    numericDay: '(?:on|from|of|dated|for)(?: the)?',
  },
  since: '(?:ever )?since(?: the)?',
  after: '(?:any ?time )?after(?: the)?',
  before: '(?:any ?time |shortly |just |right )?before(?: the)?',
  until: '(?:until|till|up to)(?: the)?',
  between: [
    ['(?:in |from )?between(?: the)?', 'and(?: the)?'],
    ['from(?: the)?', '(?:to|until|till|through)(?: the)?'],
  ],
  atEnd: ['weekday', 'month'],
  neverAtEnd: /^(?:march|april|may|june|august)$/iu,
  mayFollow: {
    names:
      /\b(?:spring|summer|autumn|fall|winter|may|march|christmas|easter|halloween|advent|carnival|(?:the|this|last) (?:\w+day))$/iu,
    after: `${englishFunctionWords}|last|(?:two|three|four|five|six|seven|eight|nine|ten|\\d{1,2})\\s+(?:year|month|week)s?\\s+ago`,
  },
  givenNames: /^(?:from|in|during|over)\s+(?:april|may|june|august)$/iu,
  never: {
    weekday: {
      before: /\b(?:black|good|ash|palm|shrove|fat|cyber|bloody|ruby|giving|every|each)\s+$/iu,
      after: /^\s+(?:times|telegraph|mirror|express|post|herald|school|roast|night live|night football)\b/iu,
    },
  },
}
