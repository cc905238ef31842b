/** A city that random routes lie in. */
export interface City {
  name: string;
  /** Degrees, of its middle. */
  lat: number;
  lng: number;
  /** Radius that trips start within, meters. */
  radiusM: number;
  /** Names of places, as riders write them. */
  places: readonly string[];
}

/** Cities of the service's own currency, the larger ones first. */
export const CITIES: readonly City[] = [
  {
    name: '北京',
    lat: 39.9042,
    lng: 116.4074,
    radiusM: 18_000,
    places: ['国贸', '西直门', '中关村', '望京', '北京南站', '首都机场T3', '三里屯', '五道口'],
  },
  {
    name: '上海',
    lat: 31.2304,
    lng: 121.4737,
    radiusM: 18_000,
    places: ['人民广场', '陆家嘴', '徐家汇', '虹桥火车站', '静安寺', '张江高科', '外滩', '五角场'],
  },
  {
    name: '广州',
    lat: 23.1291,
    lng: 113.2644,
    radiusM: 15_000,
    places: ['珠江新城', '体育西路', '广州南站', '北京路', '白云机场', '琶洲', '沙面'],
  },
  {
    name: '深圳',
    lat: 22.5431,
    lng: 114.0579,
    radiusM: 14_000,
    places: ['福田口岸', '科技园', '华强北', '深圳北站', '南山', '世界之窗', '罗湖'],
  },
  {
    name: '成都',
    lat: 30.5728,
    lng: 104.0668,
    radiusM: 13_000,
    places: ['春熙路', '天府广场', '宽窄巷子', '成都东站', '高新区', '双流机场'],
  },
  {
    name: '杭州',
    lat: 30.2741,
    lng: 120.1551,
    radiusM: 12_000,
    places: ['武林广场', '西湖文化广场', '杭州东站', '滨江', '龙翔桥', '未来科技城'],
  },
];
