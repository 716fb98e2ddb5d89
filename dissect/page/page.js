'use strict';
{
  const KINDS = [
    ['sent', 'sent', 4], ['answer', 'answered', 3], ['again', 'sent again', 6], ['nak', 'NAK or RNR NAK', 8],
    ['other', 'other warning or error', 6],
  ];
  const PSNS = 1 << 24;
  const color = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const axis = more => ({stroke: color('dim'), grid: {stroke: color('line'), width: 1}, ticks: {stroke: color('line')}, ...more});
  const psn = v => v == null ? '-' : '0x' + (((v % PSNS) + PSNS) % PSNS).toString(16).padStart(6, '0');
  const seconds = v => v == null ? '-' : v.toFixed(9) + ' s';
  const duration = ns => ns < 1e3 ? `${+ns.toPrecision(3)} ns` : ns < 1e6 ? `${+(ns / 1e3).toPrecision(3)} us`
    : ns < 1e9 ? `${+(ns / 1e6).toPrecision(3)} ms` : `${+(ns / 1e9).toPrecision(3)} s`;
  const moments = () => axis({label: 'since the first packet', values: (_, v) => v.map(s => s === 0 ? '0' : duration(s * 1e9))});
  const hours = begin => axis({label: 'UTC', values: (u, v) => {
    const days = u.scales.x.max - u.scales.x.min > 86400;
    return v.map(s => new Date((begin + s) * 1000).toISOString().slice(...(days ? [0, 10] : [11, 19])));
  }});
  const number = v => v == null ? '--' : v.toLocaleString('en', {maximumSignificantDigits: 6});
  const data = figure => JSON.parse(figure.querySelector('script').textContent);
  const plot = (figure, options, columns) => {
    const place = figure.querySelector('.plot');
    const sized = () => ({width: place.clientWidth, height: 300});
    const u = new uPlot({...sized(), ...options}, columns, place);
    addEventListener('resize', () => u.setSize(sized()));
  };

  // A column for each packet: its time, and its PSN in the series of its kind.
  const psns = figure => {
    const d = data(figure), points = [];
    KINDS.forEach(([name], kind) => {
      for (let i = 0; i < d[name].length; i += 2) points.push([d[name][i] / 1e9, d[name][i + 1] + d.base, kind]);
    });
    points.sort((a, b) => a[0] - b[0]);
    const columns = [points.map(p => p[0]), ...KINDS.map((_, kind) => points.map(p => p[2] === kind ? p[1] : null))];
    plot(figure, {
      scales: {x: {time: false}},
      cursor: {drag: {x: true, y: true}},
      axes: [moments(), axis({size: 90, values: (_, v) => v.map(psn)})],
      series: [{label: 'time', value: (_, v) => seconds(v)}, ...KINDS.map(([name, label, size]) => ({
        label, stroke: color(name), paths: () => null, value: (_, v) => psn(v),
        points: {show: true, size, stroke: color(name), fill: color(name)},
      }))],
    }, columns);
  };

  // A bar for each class of times, each class twice as long as the one before.
  const times = figure => {
    const d = data(figure);
    const around = (_, low, high) => { // of few classes not too wide
      if (d.n.length === 1) low = high = d.from;
      const half = Math.max((high - low) / 2 + 0.6, 5), middle = (low + high) / 2;
      return [middle - half, middle + half];
    };
    plot(figure, {
      scales: {x: {time: false, range: around}, y: {range: (_, low, high) => [0, high * 1.05]}},
      axes: [axis({incrs: [1, 2, 4, 8], values: (_, v) => v.map(i => duration(2 ** i))}), axis({size: 80})],
      series: [{label: 'from', value: (_, v) => v == null ? '-' : duration(2 ** v)},
        {label: 'messages', stroke: color('note'), fill: color('note'), paths: uPlot.paths.bars({size: [0.8, 60]}), points: {show: false}}],
    }, [d.n.map((_, i) => d.from + i), d.n]);
  };

  // Values of each part of the time, from 0 up. begin: seconds since 1970, where the axis shows hours of the day.
  const overTime = (figure, begin, label, series, columns) => plot(figure, {
    scales: {x: {time: false}, y: {range: (_, low, high) => [0, high * 1.05 || 1]}},
    cursor: {sync: {key: 'time'}},
    axes: [begin == null ? moments() : hours(begin), axis({size: 80, label, values: (_, v) => v.map(number)})],
    series: [{label: 'time', value: (_, v) => seconds(v)}, ...series.map(s => ({value: (_, v) => number(v), ...s}))],
  }, columns);

  // Payload, as a rate, in the largest unit that the highest rate reaches.
  const UNITS = [['Gbit/s', 1], ['Mbit/s', 1e-3], ['kbit/s', 1e-6], ['bit/s', 1e-9]];
  const rates = figure => {
    const d = data(figure), highest = Math.max(...d.bytes) * 8 / d.bucket;
    const [unit, size] = UNITS.find(([, least]) => highest >= least) || UNITS[0];
    overTime(figure, d.begin, `${unit} of payload`, [{label: unit, stroke: color('note'), fill: color('note'),
      paths: uPlot.paths.bars({size: [0.9, 60], align: 1}), points: {show: false}}],
    [d.bytes.map((_, i) => (d.from + i * d.bucket) / 1e9), d.bytes.map(b => b * 8 / d.bucket / size)]);
  };

  // Packets, by kind.
  const EVENTS = [['again', 'sent again', 'again'], ['rnr', 'RNR NAK', 'nak'], ['ecn', 'ECN mark', 'other'], ['cnp', 'CNP', 'answer'],
    ['bad', 'errors and warnings', 'sent']];
  const events = figure => {
    const d = data(figure), shown = EVENTS.filter(([name]) => d[name]);
    overTime(figure, d.begin, 'packets', shown.map(([, label, hue]) => ({
      label, stroke: color(hue), width: 2, paths: uPlot.paths.stepped({align: 1}), points: {show: false},
    })), [d.again.map((_, i) => i * d.bucket / 1e9), ...shown.map(([name]) => d[name])]);
  };

  // Those in sight are drawn first, as a page may have many.
  const draw = {psns, times, rates, events};
  const waiting = new Set(document.querySelectorAll('figure.psns, figure.times, figure.rates, figure.events'));
  const show = figure => {
    if (waiting.delete(figure)) draw[figure.className](figure);
  };
  const seen = new IntersectionObserver(entries => {
    for (const e of entries) {
      if (!e.isIntersecting) continue;
      seen.unobserve(e.target);
      show(e.target);
    }
  }, {rootMargin: '400px'});
  waiting.forEach(figure => seen.observe(figure));
  addEventListener('beforeprint', () => waiting.forEach(show));
  // The others follow one by one: a browser may print before charts that are drawn for the print are there.
  const rest = () => {
    if (waiting.size === 0) return;
    show(waiting.values().next().value);
    setTimeout(rest);
  };
  addEventListener('load', rest);
}
